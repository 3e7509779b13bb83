import { BatonError } from '@baton/protocol';
import { backendEntry } from '@baton/runtime';
import { type Store, wasSteered } from '@baton/store';

export type Steer = {
  taskId: string;
  text: string;
  by?: string | undefined;
  /** Given once more with the same one it is the same. */
  steerId?: string | undefined;
};

/** Gives the agent of a task that runs more to consider, unless it was given that already. */
export async function steerTask(
  store: Store,
  sessionId: string,
  { taskId, text, by, steerId }: Steer,
): Promise<void> {
  if (text.trim() === '') throw new BatonError('usage', 'There is nothing to consider.');
  await store.log.append(sessionId, async ({ tasks }, tx) => {
    if (steerId && (await wasSteered(tx, sessionId, { taskId, steerId }))) {
      return { drafts: [], result: undefined };
    }
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
    return { drafts: [{ type: 'task.steered', taskId, text, by, steerId }], result: undefined };
  });
}
