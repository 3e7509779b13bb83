import { BatonError } from '@baton/protocol';
import { backendEntry } from '@baton/runtime';
import type { Store } from '@baton/store';

export type Steer = { taskId: string; text: string; by?: string | undefined };

/** Gives the agent of a task that runs more to consider. */
export async function steerTask(
  store: Store,
  sessionId: string,
  { taskId, text, by }: Steer,
): Promise<void> {
  if (text.trim() === '') throw new BatonError('usage', 'There is nothing to consider.');
  await store.log.append(sessionId, ({ tasks }) => {
    const task = tasks.get(taskId);
    if (task?.status !== 'RUNNING' && task?.status !== 'AWAITING_PERMISSION') {
      throw new BatonError('conflict', 'The task does not run.', {
        hint: 'Give it as a prompt of its own.',
      });
    }
    const { label, capabilities } = backendEntry(task.backend);
    if (!capabilities?.features.steer) {
      throw new BatonError('capability_missing', `${label} cannot be steered while it works.`, {
        hint: 'Give it as a prompt of its own, which waits for its turn.',
      });
    }
    return { drafts: [{ type: 'task.steered', taskId, text, by }], result: undefined };
  });
}
