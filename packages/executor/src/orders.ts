import type { BatonClient, ExecutorStart } from '@baton/client';
import { BatonError } from '@baton/protocol';
import type { AgentRun } from '@baton/runtime';
import type { Answers } from './answers.ts';
import type { Steering } from './steering.ts';

export type Obeying = { run: AgentRun; answers: Answers; steering: Steering };

/** Hands answers on to the agent and stops it when somebody says so, until the signal or the end of the task. */
export async function obeyOrders(
  client: BatonClient,
  { task, session }: Pick<ExecutorStart, 'task' | 'session'>,
  { run, answers, steering }: Obeying,
  signal: AbortSignal,
): Promise<void> {
  const after = session.head_cursor;
  try {
    for await (const event of client.follow(session.session_id, { after, signal })) {
      if (!('taskId' in event) || event.taskId !== task.task_id) continue;
      if (event.type === 'stop.requested') void run.cancel(event.reason);
      if (event.type === 'task.steered') steering.give(event.text);
      if (event.type === 'answer.given') answers.give(event.requestId, event.answer);
    }
  } catch (error) {
    // The task is not ours any more, or has ended: the heartbeat or the reporter says which.
    if (!BatonError.is(error)) throw error;
  }
}
