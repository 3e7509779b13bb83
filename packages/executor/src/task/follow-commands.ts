import type { BatonClient, ExecutorStart } from '@baton/client';
import { BatonError, withRetry } from '@baton/protocol';
import type { AgentRun } from '@baton/runtime/internal';
import { answerForAgent } from '../agent/answers.ts';
import type { Steering } from '../agent/steering.ts';

/** What commands are for; another run takes the place of one whose agent had lost its session. */
export type CommandTarget = {
  run: AgentRun;
  steering: Steering;
  /** The id by which the agent knows a request of the log. */
  nativeRequestId(requestId: string): string;
  /** Called when a stop is requested. */
  onStop(): void;
};

/** After these the task has ended or belongs to another executor: the heartbeat or the reporter reports which. */
const FINAL: ReadonlySet<string> = new Set([
  'lease_lost',
  'unauthenticated',
  'forbidden',
  'not_found',
]);
const TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 200, maxMs: 5000 };

/**
 * Passes answers to the agent and stops it on request, until the signal or the end of the task; retries after errors.
 */
export async function followCommands(
  client: BatonClient,
  { task, session, cursor }: Pick<ExecutorStart, 'task' | 'session' | 'cursor'>,
  target: CommandTarget,
  signal: AbortSignal,
): Promise<void> {
  // From the start of the task: a command may have come before this process.
  let after = cursor;
  const obey = async (): Promise<unknown> => {
    try {
      for await (const event of client.follow(session.session_id, { after, signal })) {
        after = event.cursor;
        if (!('taskId' in event) || event.taskId !== task.task_id) continue;
        if (event.type === 'stop.requested') {
          target.onStop();
          void target.run.cancel(event.reason);
        }
        if (event.type === 'task.steered') await target.steering.give(event.text);
        if (event.type === 'answer.given') {
          const requestId = target.nativeRequestId(event.requestId);
          await target.run.answer(requestId, answerForAgent(event.answer));
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
