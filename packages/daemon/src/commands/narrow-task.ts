import { BatonError, isWider, type PermissionMode } from '@baton/protocol';
import type { LeaseRow, Store, TaskRow } from '@baton/store';

export type Narrowing = {
  mode: PermissionMode;
  /** The user who started the executor. */
  by?: string | undefined;
};

/** Lets an executor run its task with a stricter permission mode, and logs that. */
export function narrowTask(
  { log }: Store,
  { session_id, task_id: taskId, executor_id: executorId }: LeaseRow,
  { mode: permissionMode, by }: Narrowing,
): Promise<void> {
  return log.append(session_id, ({ tasks }) => {
    const task = tasks.get(taskId);
    if (!task) throw new BatonError('lease_lost', `Task "${taskId}" has ended.`);
    checkNarrower(task, permissionMode);
    const from = task.permission_mode as PermissionMode;
    if (from === permissionMode) return { drafts: [], result: undefined };
    const event = { type: 'task.narrowed' as const, taskId, by, executorId, from, permissionMode };
    return { drafts: [event], result: undefined };
  });
}

/** Rejects a mode that is wider than the one the task was queued with. */
export function checkNarrower({ permission_mode }: TaskRow, mode: PermissionMode): void {
  if (!isWider(mode, permission_mode as PermissionMode)) return;
  throw new BatonError(
    'usage',
    `The task was queued with permission mode "${permission_mode}". An executor may not widen it to "${mode}".`,
    { hint: 'Queue the task with that mode, or omit --permission-mode.' },
  );
}
