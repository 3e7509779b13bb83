import { join } from 'node:path';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { attachmentsName, BatonError, type EventOf, retryErrors } from '@baton/protocol';
import type { AgentRun } from '@baton/runtime/internal';
import { TaskReport } from '../report/task-report.ts';
import { followCommands } from '../task/follow-commands.ts';
import { Heartbeat } from '../task/heartbeat.ts';
import type { Agent } from './agent.ts';
import { removeAttachments } from './attachment-files.ts';
import { Steering } from './steering.ts';

const TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 100, maxMs: 2000 };
const STOPPED = new Error('The task was stopped.');

export type RunTaskOptions = {
  client: BatonClient;
  agent: Agent;
  spoolFolder: string;
  signal?: AbortSignal | undefined;
  tell?: ((line: string) => void) | undefined;
};

/**
 * Runs one task: starts the agent, reports every event, passes on answers, stops and steering, and returns the last
 * event.
 */
export async function runTask(
  start: ExecutorStart,
  { client, agent, spoolFolder, signal, tell }: RunTaskOptions,
): Promise<EventOf<'run.completed'>> {
  const report = new TaskReport(client, start, { folder: spoolFolder, tell });
  const attached = join(spoolFolder, attachmentsName(start.task.task_id));
  const stop = new AbortController();
  const heartbeat = new Heartbeat(client, start.lease_ms, () => stop.abort(STOPPED));
  stop.signal.addEventListener('abort', () => heartbeat.confirmStop());
  // The task was stopped before this process started.
  if (start.task.status === 'STOPPING') stop.abort(STOPPED);
  const orders = new AbortController();
  let run: AgentRun | undefined;
  try {
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    run = await agent.run(start, {
      attached,
      signal: either,
      onStarting: () => announceStart(client, either),
      onPrinted: (line, stream) => report.raw.print(line, stream),
    });
    const steering = new Steering(run);
    const onStop = () => heartbeat.confirmStop();
    const obeying = followCommands(client, start, { run, steering, onStop }, orders.signal);
    let end: EventOf<'run.completed'> | undefined;
    for await (const event of run) {
      if (event.type === 'run.completed') end = event;
      heartbeat.progress();
      await steering.tryAgain();
      await report.event(event);
    }
    await report.done();
    orders.abort();
    await obeying;
    if (!end) throw new BatonError('internal', 'The run ended without a result.');
    return end;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    // The task has ended elsewhere: the rest will not be read.
    if (error.code === 'lease_lost') report.forget();
    if (run || error.code === 'lease_lost') throw error;
    const end = failure(start, error);
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

/** The only event of a request that the backend rejects before a run starts. */
function failure({ task, last_seq }: ExecutorStart, error: BatonError): EventOf<'run.completed'> {
  return {
    type: 'run.completed',
    seq: last_seq + 1,
    time: Date.now(),
    runId: task.task_id,
    outcome: 'failed',
    output: '',
    durationMs: 0,
    error: error.toJSON(),
  };
}
