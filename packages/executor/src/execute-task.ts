import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BatonClient, type ExecutorStart } from '@baton/client';
import { type AgentEvent, attachmentsName, BatonError, type RunResult } from '@baton/protocol';
import { canonicalName, configuredBackend, loadSettings, withRetry } from '@baton/runtime';
import { Answers } from './answers.ts';
import { removeAttachments, withAttachments } from './attachments.ts';
import { Heartbeat } from './heartbeat.ts';
import { confinement } from './isolation/isolation.ts';
import { withMcpServers } from './mcp-servers.ts';
import { obeyOrders } from './orders.ts';
import type { ExecutorPayload } from './payload.ts';
import { runRequestOf } from './run-request.ts';
import { Steering } from './steering.ts';
import { TaskReport } from './task-report.ts';

/** A daemon that is just being started again is waited for. */
const START_TRIES = { attempts: 20, baseMs: 100, maxMs: 2000 };

export type ExecuteOptions = ExecutorPayload & {
  /** Aborting it stops the agent; the end is still reported. */
  signal?: AbortSignal | undefined;
};

/** Carries out one task of a daemon: takes it, runs its agent, reports every event, and ends. */
export async function executeTask(options: ExecuteOptions): Promise<RunResult | undefined> {
  const client = new BatonClient({ url: options.daemonUrl, token: options.token });
  try {
    await checkTask(client, options);
    const start = await takeTask(client, options.taskId);
    client.connection.showToken(start.token);
    return await carryOut(client, withMode(start, options), options);
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
  { spoolFolder, signal, mcpServers = {} }: ExecuteOptions,
): Promise<RunResult | undefined> {
  mkdirSync(spoolFolder, { recursive: true, mode: 0o700 });
  const report = new TaskReport(client, start, spoolFolder);
  const attached = join(spoolFolder, attachmentsName(start.task.task_id));
  const stop = new AbortController();
  const heartbeat = new Heartbeat(client, start.lease_ms, () => stop.abort());
  // Somebody was quicker than this process.
  if (start.task.status === 'STOPPING') stop.abort();
  const orders = new AbortController();
  try {
    const settings = loadSettings({ program: 'baton', cwd: start.session.cwd });
    const backend = await configuredBackend(start.task.backend, settings);
    const confine = await confinement(start.isolation, start.task.backend, attached);
    const asked = withMcpServers(runRequestOf(start), mcpServers, backend.capabilities);
    const request = await withAttachments(client, asked, {
      ids: start.task.attachments,
      takesImages: backend.capabilities.features.images,
      folder: attached,
    });
    const run = backend.run({
      ...request,
      ...(confine ? { confine } : {}),
      runId: start.task.task_id,
      signal: anySignal(signal, stop.signal),
      onPrinted: (line, stream) => report.raw.print(line, stream),
    });
    const answers = new Answers(run);
    const steering = new Steering(run);
    const obeying = obeyOrders(client, start, { run, answers, steering }, orders.signal);
    for await (const event of run) {
      heartbeat.progress();
      answers.hear(event);
      steering.tryAgain();
      await report.event(event);
    }
    await report.done();
    orders.abort();
    await obeying;
    return await run.result;
  } catch (error) {
    if (!BatonError.is(error) || error.code === 'lease_lost') throw error;
    await report.event(failure(start, error));
    await report.done();
    return undefined;
  } finally {
    orders.abort();
    await heartbeat.end();
    report.close();
    removeAttachments(attached);
  }
}

/** Whoever started this may want another mode on this machine. */
function withMode(start: ExecutorStart, { permissionMode }: ExecuteOptions): ExecutorStart {
  if (permissionMode === undefined) return start;
  return { ...start, task: { ...start.task, permission_mode: permissionMode } };
}

/** Refuses a task that is not the one that was meant, before it is taken. */
async function checkTask(
  client: BatonClient,
  { taskId, sessionId, prompt, tool }: ExecuteOptions,
): Promise<void> {
  if ((sessionId ?? prompt ?? tool) === undefined) return;
  if (taskId === undefined) {
    throw new BatonError('usage', 'Say which task it is: the daemon has made it before.');
  }
  const task = await client.tasks.get(taskId);
  const isMeant =
    (sessionId ?? task.session_id) === task.session_id &&
    (prompt ?? task.full_prompt) === task.full_prompt &&
    canonicalName(tool ?? task.backend) === task.backend;
  if (isMeant) return;
  throw new BatonError('usage', 'The task has another session, prompt or agent than was said.');
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
