import type { BatonClient, ExecutorStart } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { type AgentRun, withRetry } from '@baton/runtime';
import { answerForAgent } from './answers.ts';
import type { Steering } from './steering.ts';

export type Obeying = {
  run: AgentRun;
  steering: Steering;
  /** Called when somebody wants the agent to stop. */
  onStop(): void;
};

/** After these the task is not ours any more, or has ended: the heartbeat or the reporter says which. */
const FINAL: ReadonlySet<string> = new Set([
  'lease_lost',
  'unauthenticated',
  'forbidden',
  'not_found',
]);
const TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 200, maxMs: 5000 };

/**
 * Hands answers on to the agent and stops it when somebody says so, until the signal or the end of the task; trouble on
 * the way is waited out.
 */
export async function obeyOrders(
  client: BatonClient,
  { task, session, cursor }: Pick<ExecutorStart, 'task' | 'session' | 'cursor'>,
  { run, steering, onStop }: Obeying,
  signal: AbortSignal,
): Promise<void> {
  // Not from now on: somebody may have been quicker than this process.
  let after = cursor;
  const obey = async (): Promise<unknown> => {
    try {
      for await (const event of client.follow(session.session_id, { after, signal })) {
        after = event.cursor;
        if (!('taskId' in event) || event.taskId !== task.task_id) continue;
        if (event.type === 'stop.requested') {
          onStop();
          void run.cancel(event.reason);
        }
        if (event.type === 'task.steered') steering.give(event.text);
        if (event.type === 'answer.given') {
          run.answer(event.requestId, answerForAgent(event.answer));
        }
      }
      return undefined;
    } catch (error) {
      return error;
    }
  };
  await withRetry(obey, { ...TRIES, isTransient, signal });
}

function isTransient(problem: unknown): boolean {
  if (problem === undefined) return false;
  return !BatonError.is(problem) || !FINAL.has(problem.code);
}
