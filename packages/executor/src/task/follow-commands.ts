import type { BatonClient, ExecutorStart } from '@baton/client';
import type { AgentRun } from '@baton/engine/definition/backend';
import { BatonError, type LogEvent, type PermissionMode, withRetry } from '@baton/protocol';
import { answerForAgent } from '../agent/answers.ts';
import type { Steering } from '../agent/steering.ts';

/** Receiver of commands. A new run replaces one whose agent lost its session. */
export type CommandTarget = {
  run: AgentRun;
  steering: Steering;
  /** The id by which the agent knows a request of the log. */
  nativeRequestId(requestId: string): string;
  /** Called when a user lets the task do more without asking. */
  onWiden(mode: PermissionMode): void;
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
/** All that an executor reads of the log: it must not download its own output. */
const COMMANDS = ['stop.requested', 'task.widened', 'task.steered', 'answer.given'] as const;
type Command = Extract<LogEvent, { type: (typeof COMMANDS)[number] }>;
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
  const passOn = async (): Promise<unknown> => {
    try {
      const commands = client.follow(session.session_id, { after, types: COMMANDS, signal });
      for await (const event of commands) {
        after = event.cursor;
        if (isCommand(event) && event.taskId === task.task_id) await carryOut(event, target);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  };
  await withRetry(passOn, { ...TRIES, isTransient, signal });
}

function isCommand(event: LogEvent): event is Command {
  return (COMMANDS as readonly string[]).includes(event.type);
}

async function carryOut(command: Command, target: CommandTarget): Promise<void> {
  switch (command.type) {
    case 'stop.requested':
      target.onStop();
      void target.run.cancel(command.reason);
      return;
    case 'task.widened':
      return target.onWiden(command.permissionMode);
    case 'task.steered':
      return target.steering.give(command.text);
    case 'answer.given': {
      const requestId = target.nativeRequestId(command.requestId);
      await target.run.answer(requestId, answerForAgent(command.answer));
    }
  }
}

function isTransient(problem: unknown): boolean {
  if (problem === undefined) return false;
  return !BatonError.is(problem) || !FINAL.has(problem.code);
}
