import { mkdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BatonClient, type ExecutorStart } from '@baton/client';
import {
  type AgentEvent,
  BatonError,
  type LogEvent,
  type RunResult,
  spoolName,
} from '@baton/protocol';
import { type AgentRun, loadBackend, withRetry } from '@baton/runtime';
import { Heartbeat } from './heartbeat.ts';
import type { ExecutorPayload } from './payload.ts';
import { Reporter } from './reporter.ts';
import { runRequestOf } from './run-request.ts';
import { Spool } from './spool.ts';

const SPOOL = { maxBytes: 256 * 1024 * 1024, batchBytes: 256 * 1024 };
/** A daemon that is just being started again is waited for. */
const START_TRIES = { attempts: 20, baseMs: 100, maxMs: 2000 };

/** An executor without orders is of no use, but it is not for the one who hears them to give up. */
const ORDER_TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 200, maxMs: 5000 };

export type ExecuteOptions = ExecutorPayload & {
  /** Aborting it stops the agent; the end is still reported. */
  signal?: AbortSignal | undefined;
};

/** Carries out one task of a daemon: takes it, runs its agent, reports every event, and ends. */
export async function executeTask(options: ExecuteOptions): Promise<RunResult | undefined> {
  const client = new BatonClient({ url: options.daemonUrl, token: options.token });
  try {
    const start = await takeTask(client, options.taskId);
    client.connection.showToken(start.token);
    return await carryOut(client, start, options);
  } finally {
    client.close();
  }
}

async function takeTask(client: BatonClient, taskId: string | undefined): Promise<ExecutorStart> {
  const facts = { host: hostname(), pid: process.pid, task_id: taskId };
  const taken = await withRetry<ExecutorStart | BatonError>(
    () =>
      client.executors.create(facts).catch((error) => {
        if (BatonError.is(error)) return error;
        throw error;
      }),
    { ...START_TRIES, isTransient: (result) => BatonError.is(result) && result.retryable },
  );
  if (BatonError.is(taken)) throw taken;
  return taken;
}

async function carryOut(
  client: BatonClient,
  start: ExecutorStart,
  { spoolFolder, signal }: ExecuteOptions,
): Promise<RunResult | undefined> {
  mkdirSync(spoolFolder, { recursive: true, mode: 0o700 });
  const path = join(spoolFolder, spoolName(start.task.task_id));
  const spool = new Spool(path, SPOOL);
  const reporter = new Reporter({
    spool,
    send: async (events) => ({ lastSeq: (await client.messages.append(events)).last_seq }),
  });
  const stop = new AbortController();
  const heartbeat = new Heartbeat(client, start.lease_ms, () => stop.abort());
  // Somebody was quicker than this process.
  if (start.task.status === 'STOPPING') stop.abort();
  const orders = new AbortController();
  try {
    const run = await startRun(start, anySignal(signal, stop.signal));
    if (BatonError.is(run)) {
      await reporter.report(failure(start, run));
      await reporter.flush();
      rmSync(path, { force: true });
      return undefined;
    }
    const obeying = obeyOrders(client, start, run, orders.signal);
    for await (const event of run) {
      heartbeat.progress();
      await reporter.report(event);
    }
    await reporter.flush();
    orders.abort();
    await obeying;
    rmSync(path, { force: true });
    return await run.result;
  } catch (error) {
    // The task has ended without this executor: nobody will ever ask for the rest.
    if (BatonError.is(error) && error.code === 'lease_lost') rmSync(path, { force: true });
    throw error;
  } finally {
    orders.abort();
    await heartbeat.end();
    spool.close();
  }
}

/** Gives the run, or why there cannot be one. */
async function startRun(start: ExecutorStart, signal: AbortSignal): Promise<AgentRun | BatonError> {
  try {
    const backend = await loadBackend(start.task.backend);
    return backend.run({ ...runRequestOf(start), signal });
  } catch (error) {
    if (BatonError.is(error)) return error;
    throw error;
  }
}

/** Hands answers on to the agent and stops it when somebody says so; trouble on the way is waited out. */
async function obeyOrders(
  client: BatonClient,
  { task, session }: ExecutorStart,
  run: AgentRun,
  signal: AbortSignal,
): Promise<void> {
  let after = session.head_cursor;
  const follow = async (): Promise<unknown> => {
    try {
      for await (const event of client.follow(session.session_id, { after, signal })) {
        after = event.cursor;
        if ('taskId' in event && event.taskId === task.task_id) obey(event, run);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  };
  await withRetry(follow, { ...ORDER_TRIES, isTransient: (error) => error !== undefined, signal });
}

function obey(event: LogEvent, run: AgentRun): void {
  if (event.type === 'stop.requested') void run.cancel(event.reason);
  if (event.type === 'answer.given') run.answer(event.requestId, event.answer);
}

/** A request that makes no sense to the backend never becomes a run: this is all that there is to say. */
function failure({ task, last_seq }: ExecutorStart, error: BatonError): AgentEvent {
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

function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
