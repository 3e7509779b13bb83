import { join } from 'node:path';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { attachmentsName, BatonError, type EventOf } from '@baton/protocol';
import { type AgentRun, withRetry } from '@baton/runtime';
import type { Agent } from './agent.ts';
import { removeAttachments } from './attachments.ts';
import { Heartbeat } from './heartbeat.ts';
import { obeyOrders } from './orders.ts';
import { Steering } from './steering.ts';
import { TaskReport } from './task-report.ts';

const TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 100, maxMs: 2000 };
const STOPPED = new Error('The task was stopped.');

export type CarryOutOptions = {
  client: BatonClient;
  agent: Agent;
  spoolFolder: string;
  signal?: AbortSignal | undefined;
  tell?: ((line: string) => void) | undefined;
};

/** Carries out one task: runs its agent, reports every event, obeys what people say meanwhile, and gives its end. */
export async function carryOut(
  start: ExecutorStart,
  { client, agent, spoolFolder, signal, tell }: CarryOutOptions,
): Promise<EventOf<'run.completed'>> {
  const report = new TaskReport(client, start, { folder: spoolFolder, tell });
  const attached = join(spoolFolder, attachmentsName(start.task.task_id));
  const stop = new AbortController();
  const heartbeat = new Heartbeat(client, start.lease_ms, () => stop.abort(STOPPED));
  stop.signal.addEventListener('abort', () => heartbeat.confirmStop());
  // Somebody was quicker than this process.
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
    const obeying = obeyOrders(client, start, { run, steering, onStop }, orders.signal);
    let end: EventOf<'run.completed'> | undefined;
    for await (const event of run) {
      if (event.type === 'run.completed') end = event;
      heartbeat.progress();
      steering.tryAgain();
      await report.event(event);
    }
    await report.done();
    orders.abort();
    await obeying;
    if (!end) throw new BatonError('internal', 'The run ended without a result.');
    return end;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    // The task has ended without this executor: nobody will ever ask for the rest.
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
 * Tells the daemon that the agent is about to start: only then can a task that nobody has seen be told from others
 * after a crash. Waits for a daemon that is away; a run that is stopped meanwhile starts no agent.
 */
async function announceStart(client: BatonClient, signal: AbortSignal): Promise<void> {
  const problem = await withRetry(() => client.executors.agentStarting().then(nothing, known), {
    ...TRIES,
    isTransient: (error) => error?.retryable === true,
    signal,
  });
  if (problem && !signal.aborted) throw problem;
}

function nothing(): undefined {}

function known(error: unknown): BatonError {
  if (BatonError.is(error)) return error;
  throw error;
}

/** A request that makes no sense to the backend never becomes a run: this is all that there is to say. */
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
