import { hostname } from 'node:os';
import { AgentProcess } from '@baton/runtime';
import type { Claim, LeaseRow, Store, TaskRow } from '@baton/store';
import type { DaemonContext } from '../context.ts';
import { enabledMcpServers } from '../services/mcp-servers/mcp-config.ts';
import { agentKeys } from './agent-keys.ts';
import { executorEnvironment, keyVariables } from './executor-environment.ts';

/** How a program is started that carries out a task. */
export type ExecutorCommand = { file: string; args: readonly string[] };

export type StartContext = Pick<DaemonContext, 'store' | 'taskTokens' | 'box' | 'log'>;

export type StartOptions = {
  command: ExecutorCommand;
  /** The address that executors report to. */
  url: string;
  spoolFolder: string;
};

/** Starts an executor, and tells it what to do on standard input. */
export async function startExecutor(
  context: StartContext,
  { command, url, spoolFolder }: StartOptions,
  { task, lease }: Claim,
): Promise<AgentProcess> {
  const token = await context.taskTokens.sign({
    sessionId: lease.session_id,
    taskId: lease.task_id,
    executorId: lease.executor_id,
    fence: lease.fence,
    userId: task.created_by ?? undefined,
  });
  // With their secrets: they go the way that nobody else sees.
  const mcpServers = await enabledMcpServers(context.store, context.box);
  const note = (line: string) => context.log.info({ taskId: lease.task_id, line }, 'executor');
  const executor = await AgentProcess.spawn({
    ...command,
    cwd: spoolFolder,
    env: await environmentFor(context, task),
    runId: lease.executor_id,
    stdin: 'pipe',
    // Whatever this daemon dies of, the next one has its executors again.
    mayOutlive: true,
    onLine: note,
    onStderrLine: note,
  });
  executor.write(JSON.stringify({ daemonUrl: url, token, spoolFolder, mcpServers }));
  executor.endStdin();
  return executor;
}

/** Writes down which process an executor is. */
export async function rememberExecutor(
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

async function environmentFor({ store, box }: StartContext, task: TaskRow) {
  const variables = await keyVariables(task.backend, process.env);
  const keys = await agentKeys(store, box, { userId: task.created_by, variables });
  return executorEnvironment(process.env, { variables, keys });
}
