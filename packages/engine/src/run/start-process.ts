import type { TempFiles } from '@baton/config/paths/temp-files';
import { AgentProcess, killLeftovers, pathOutside, stopProcess } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import type { Dialect } from '../definition/dialect.ts';
import type { FinishedCommand, Launch, ResolvedOptions } from '../definition/driver.ts';
import { keepHead } from '../normalize/read-line.ts';
import { stderrNotices } from '../normalize/stderr.ts';
import type { AgentConnection } from './agent-connection.ts';
import type { LinkInput } from './link-input.ts';

type ProcessParts = {
  dialect: Dialect;
  files: TempFiles;
  connection: AgentConnection | undefined;
  read(line: string): void;
};

/** Starts the agent's process; its output goes to the dialect, or to the connection where it has one. */
export async function startProcess(
  input: LinkInput,
  launch: Launch,
  { dialect, files, connection, read }: ProcessParts,
): Promise<AgentProcess> {
  const { options, driver } = input;
  const command = {
    file: input.file,
    args: [...input.firstArgs, ...launch.args],
    cwd: options.cwd,
  };
  input.onLaunch?.({ ...command, transport: driver.transport });
  const stderr = stderrNotices(input.onEmit);
  const env = { ...agentEnvironment(options), ...launch.env };
  const confined = input.confine?.({ ...command, env, files: files.folder });
  const process = await AgentProcess.spawn({
    ...command,
    ...confined,
    env: confined?.env ?? env,
    runId: input.runId,
    stdin: launch.stdin === 'none' ? 'none' : 'pipe',
    onLine: (line) => (connection ? connection.print(line) : read(line)),
    onLongLine: (head, bytes) => {
      if (connection) return;
      input.onPrinted?.(head, 'stdout');
      keepHead(head, bytes, input.onEmit);
    },
    onStderrLine: (line) => {
      input.onPrinted?.(line, 'stderr');
      if (!dialect.stderrLine?.(line)) stderr(line);
    },
  });
  if (typeof launch.stdin === 'object') {
    input.onSent?.(launch.stdin.text);
    process.write(launch.stdin.text);
    process.endStdin();
  }
  return process;
}

/** Runs a command of the agent's program like the agent itself, and ends it when the run is stopped. */
export async function runFirst(
  input: LinkInput,
  args: readonly string[],
): Promise<FinishedCommand> {
  const { options, signal } = input;
  const command = { file: input.file, args: [...input.firstArgs, ...args], cwd: options.cwd };
  const stdout: string[] = [];
  const env = agentEnvironment(options);
  const confined = input.confine?.({ ...command, env });
  const process = await AgentProcess.spawn({
    ...command,
    ...confined,
    env: confined?.env ?? env,
    runId: input.runId,
    stdin: 'none',
    onLine: (line) => stdout.push(line),
  });
  const stop = () => void stopProcess({ process, steps: [] });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const { code } = await process.closed;
    if (signal.aborted) throw new BatonError('interrupted', 'The run was cancelled.');
    return { code, stdout: stdout.join('\n'), stderr: process.stderr };
  } finally {
    signal.removeEventListener('abort', stop);
    await killLeftovers(process);
  }
}

/** In an untrusted folder, the agent's PATH contains no programs of the folder. */
function agentEnvironment({ cwd, env, trust }: ResolvedOptions): ResolvedOptions['env'] {
  return trust.trusted || env.PATH === undefined
    ? env
    : { ...env, PATH: pathOutside({ cwd, env }) };
}
