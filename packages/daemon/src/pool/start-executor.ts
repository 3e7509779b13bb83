import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { AgentProcess, stopProcess } from '@baton/process';
import type { Claim, LeaseRow, Store } from '@baton/store';
import type { DaemonContext } from '../context.ts';
import { equipmentFor } from './equipment.ts';

/** Command that starts an executor. */
export type ExecutorCommand = { file: string; args: readonly string[] };

type StartContext = Pick<DaemonContext, 'baton' | 'store' | 'taskTokens' | 'box' | 'log'>;

export type StartOptions = {
  command: ExecutorCommand;
  /** The address that executors report to. */
  url: string;
  spoolFolder: string;
};

/** An executor, the hash of its equipment, and the flag for keeping its agent ready. */
export type StartedExecutor = { process: AgentProcess; equipment: string; keepsAgent: boolean };

/** Starts an executor, and sends it its payload on standard input. */
export async function startExecutor(
  context: StartContext,
  { command, url, spoolFolder }: StartOptions,
  { task, lease }: Claim,
): Promise<StartedExecutor> {
  const token = await context.taskTokens.sign({
    sessionId: lease.session_id,
    taskId: lease.task_id,
    executorId: lease.executor_id,
    fence: lease.fence,
    userId: task.created_by ?? undefined,
  });
  const { env, mcpServers, mark, keepsAgent } = await equipmentFor(context, task);
  // It may have been removed meanwhile.
  mkdirSync(spoolFolder, { recursive: true, mode: 0o700 });
  const note = (line: string) => context.log.info({ taskId: lease.task_id, line }, 'executor');
  const executor = await AgentProcess.spawn({
    ...command,
    // Always there; a program whose current folder was removed cannot even ask for it.
    cwd: '/',
    env,
    runId: lease.executor_id,
    stdin: 'pipe',
    // Whatever this daemon dies of, the next one has its executors again.
    mayOutlive: true,
    onLine: note,
    onStderrLine: note,
  });
  try {
    // It waits for its orders until it is known, so that it cannot be forgotten.
    await remember(context.store, lease, executor, spoolFolder);
  } catch (error) {
    await stopProcess({ process: executor, steps: [] });
    throw error;
  }
  // Secrets are passed on stdin, which no one else can read.
  executor.write(JSON.stringify({ daemonUrl: url, token, spoolFolder, mcpServers }));
  executor.endStdin();
  return { process: executor, equipment: mark, keepsAgent };
}

async function remember(
  store: Store,
  lease: LeaseRow,
  { pid, startTicks }: AgentProcess,
  spoolFolder: string,
): Promise<void> {
  const now = store.now();
  await store.records.executors.put({
    executor_id: lease.executor_id,
    task_id: lease.task_id,
    session_id: lease.session_id,
    daemon_id: lease.daemon_id,
    host: hostname(),
    pid,
    start_ticks: startTicks ?? null,
    started_at: now,
    heartbeat_at: now,
    progress_at: now,
    ended_at: null,
    spool_folder: spoolFolder,
  });
}
