import type { Registry } from '@baton/agents/registry/registry';
import { BatonError, isPaused } from '@baton/protocol';
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
  { store, registry }: { store: Store; registry: Registry },
  sessionId: string,
  { taskId, text, by, steerId }: Steer,
): Promise<void> {
  if (text.trim() === '') throw new BatonError('usage', 'Message is empty.');
  await store.log.append(sessionId, async ({ tasks }, tx) => {
    if (steerId && (await wasSteered(tx, sessionId, { taskId, steerId }))) {
      return { drafts: [], result: undefined };
    }
    const task = tasks.get(taskId);
    if (task?.status !== 'RUNNING' && task?.status !== 'AWAITING_PERMISSION') {
      throw new BatonError('conflict', 'The task is not running.', {
        hint: 'Send it as a new prompt.',
      });
    }
    if (isPaused(task)) {
      throw new BatonError('conflict', 'The task is paused until its request is answered.', {
        hint: 'Answer the request, or send the message as a new prompt.',
      });
    }
    const { label, capabilities } = registry.entry(task.backend);
    if (!capabilities?.features.steer) {
      throw new BatonError('capability_missing', `${label} does not support steering.`, {
        hint: 'Send it as a new prompt; it is queued.',
      });
    }
    return { drafts: [{ type: 'task.steered', taskId, text, by, steerId }], result: undefined };
  });
}
