import { join } from 'node:path';
import type { BatonClient, ExecutorStart } from '@baton/client';
import {
  type AgentEvent,
  attachmentsName,
  BatonError,
  type EventOf,
  type EventType,
  retryErrors,
} from '@baton/protocol';
import { raceTimer } from '@baton/runtime/internal';
import { TaskEvents } from '../report/task-events.ts';
import { TaskReport } from '../report/task-report.ts';
import { type CommandTarget, followCommands } from '../task/follow-commands.ts';
import { Heartbeat } from '../task/heartbeat.ts';
import type { Agent, TaskHooks } from './agent.ts';
import { removeAttachments } from './attachment-files.ts';
import { Steering } from './steering.ts';

const TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 100, maxMs: 2000 };
const STOPPED = new Error('The task was stopped.');
/** A service manager signals an agent and its executor at the same moment, in any order. */
const SAME_MOMENT_MS = 100;
const SESSION_LOST =
  'The agent has lost its own session, so it continues from an abridged transcript of the conversation.';

export type RunTaskOptions = {
  client: BatonClient;
  agent: Agent;
  spoolFolder: string;
  /** Aborting it stops the agent, which is reported as the end of the task. */
  signal?: AbortSignal | undefined;
  /** Aborting it stops the agent and nothing else: the daemon decides what becomes of the task. */
  leave?: AbortSignal | undefined;
  tell?: ((line: string) => void) | undefined;
};

/**
 * Runs one task: starts the agent, reports every event, passes on answers, stops and steering, and returns the last
 * event.
 */
export async function runTask(
  start: ExecutorStart,
  { client, agent, spoolFolder, signal, leave, tell }: RunTaskOptions,
): Promise<EventOf<'run.completed'>> {
  const report = new TaskReport(client, start, { folder: spoolFolder, tell });
  const events = new TaskEvents(start);
  const attached = join(spoolFolder, attachmentsName(start.task.task_id));
  const stop = new AbortController();
  const heartbeat = new Heartbeat(client, start.lease_ms, () => stop.abort(STOPPED));
  stop.signal.addEventListener('abort', () => heartbeat.confirmStop());
  // The task was stopped before this process started.
  if (start.task.status === 'STOPPING') stop.abort(STOPPED);
  const orders = new AbortController();
  const either = AbortSignal.any([signal, leave, stop.signal].flatMap((each) => each ?? []));
  const hooks: TaskHooks = {
    attached,
    signal: either,
    onStarting: () => announceStart(client, either),
    onPrinted: (line, stream) => report.raw.print(line, stream),
  };
  const left = new Promise((resolve) => leave?.addEventListener('abort', resolve, { once: true }));
  let target: CommandTarget | undefined;
  let obeying: Promise<void> | undefined;
  let isStopping = false;
  /** Runs the agent to its end; nothing if it turns out that it has lost the session to resume. */
  const play = async (given: ExecutorStart): Promise<EventOf<'run.completed'> | undefined> => {
    const run = await agent.run(given, hooks);
    const steering = new Steering(run);
    const onStop = () => {
      isStopping = true;
      heartbeat.confirmStop();
    };
    const nativeRequestId = (id: string) => events.nativeRequestId(id);
    if (target) Object.assign(target, { run, steering });
    else target = { run, steering, nativeRequestId, onStop };
    obeying ??= followCommands(client, start, target, orders.signal);
    let end: EventOf<'run.completed'> | undefined;
    let hasActed = false;
    for await (const event of run) {
      if (isEndOfAgent(event)) await raceTimer([left], SAME_MOMENT_MS, either);
      if (leave?.aborted && !isStopping && !stop.signal.aborted) continue;
      hasActed ||= ACTIONS.has(event.type);
      if (hasLostSession(event, given) && !hasActed) continue;
      heartbeat.progress();
      await steering.tryAgain();
      const reported = events.next(event);
      if (!reported) continue;
      if (reported.type === 'run.completed') end = reported;
      await report.event(reported);
    }
    return end;
  };
  try {
    let end = await play(start).catch((error) => {
      if (target || start.resume === null || !isSessionLost(error)) throw error;
      return undefined;
    });
    if (!end && start.resume !== null && !either.aborted) {
      await agent.close();
      const { hand_over } = await retryErrors(() => client.executors.transcript(), TRIES);
      await report.event(
        events.own({
          type: 'notice',
          level: 'warning',
          code: 'session_lost',
          message: SESSION_LOST,
        }),
      );
      end = await play({ ...start, resume: null, fork: false, hand_over });
    }
    if (!end && leave?.aborted) throw new BatonError('interrupted', 'The executor was stopped.');
    await report.done();
    orders.abort();
    await obeying;
    if (!end) throw new BatonError('internal', 'The run ended without a result.');
    return end;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    // The task has ended elsewhere: the rest will not be read.
    if (error.code === 'lease_lost') report.forget();
    if (target || error.code === 'lease_lost') throw error;
    const end = events.own({
      type: 'run.completed',
      outcome: 'failed',
      output: '',
      durationMs: 0,
      error: error.toJSON(),
    }) as EventOf<'run.completed'>;
    await report.event(end);
    await report.done();
    return end;
  } finally {
    orders.abort();
    heartbeat.stop();
    report.close();
    removeAttachments(attached);
  }
}

/** After one of these a run is not repeated: the agent may have changed something. */
const ACTIONS: ReadonlySet<EventType> = new Set([
  'tool.started',
  'file.changed',
  'permission.requested',
  'question.requested',
]);

/** Whether an event says that the agent is gone, and nobody asked for that. */
function isEndOfAgent(event: AgentEvent): boolean {
  if (event.type === 'run.completed') return event.error?.code === 'agent_crashed';
  const isRequest = event.type === 'permission.resolved' || event.type === 'question.resolved';
  return isRequest && event.by === 'agent' && event.synthetic === true;
}

function hasLostSession(event: AgentEvent, { resume }: ExecutorStart): boolean {
  return event.type === 'run.completed' && resume !== null && isSessionLost(event.error);
}

function isSessionLost(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'session_not_found';
}

/**
 * Reports that the agent is about to start, so that after a crash the daemon knows which tasks no agent has seen.
 * Retries while the daemon is unreachable; a run that is stopped meanwhile starts no agent.
 */
async function announceStart(client: BatonClient, signal: AbortSignal): Promise<void> {
  try {
    await retryErrors(() => client.executors.agentStarting(), { ...TRIES, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
