import type { Registry } from '@baton/agents/registry/registry';
import { BatonError, isPaused, isWider, type PermissionMode } from '@baton/protocol';
import { type Store, type TaskRow, wasNarrowed } from '@baton/store';

type Widening = {
  taskId: string;
  mode: PermissionMode;
  by?: string | undefined;
};

const NEXT_PROMPT = 'Choose the mode for the next prompt instead.';

/**
 * Lets a running task do more without asking. The executor applies the mode with the rules of a run that was started in
 * it: only the executor sees the files that an edit names. The agent itself keeps the mode that it was started with.
 */
export async function widenTask(
  { store, registry }: { store: Store; registry: Registry },
  sessionId: string,
  { taskId, mode: permissionMode, by }: Widening,
): Promise<void> {
  await store.log.append(sessionId, async ({ tasks }, tx) => {
    const task = tasks.get(taskId);
    if (task?.status !== 'RUNNING' && task?.status !== 'AWAITING_PERMISSION') {
      throw new BatonError('conflict', 'The task is not running.', { hint: NEXT_PROMPT });
    }
    if (isPaused(task)) {
      throw new BatonError('conflict', 'The task is paused until its request is answered.', {
        hint: `Answer the request. ${NEXT_PROMPT}`,
      });
    }
    const from = task.permission_mode as PermissionMode;
    if (from === permissionMode) return { drafts: [], result: undefined };
    if (!isWider(permissionMode, from)) {
      throw new BatonError('conflict', 'A running task cannot get a stricter permission mode.', {
        hint: `Stop the task, or wait until it has ended. ${NEXT_PROMPT}`,
      });
    }
    checkAsks(registry, task, permissionMode);
    if (await wasNarrowed(tx, task)) {
      throw new BatonError(
        'forbidden',
        `The executor of this task allows no wider permission mode than "${from}".`,
        { hint: 'Ask the person who started the executor.' },
      );
    }
    const event = { type: 'task.widened' as const, taskId, by, from, permissionMode };
    return { drafts: [event], result: undefined };
  });
}

/** Rejects a mode that the agent does not have, and an agent that never asks: no answer could apply the mode. */
function checkAsks(registry: Registry, { backend, options }: TaskRow, mode: PermissionMode): void {
  const { label, capabilities } = registry.entry(backend);
  const { transport = capabilities.transports[0] } = JSON.parse(options) as { transport?: string };
  if (transport === 'live' && capabilities.permissionModes.includes(mode)) return;
  throw new BatonError(
    'capability_missing',
    `${label} cannot change its permission mode while it works.`,
    { hint: NEXT_PROMPT },
  );
}
