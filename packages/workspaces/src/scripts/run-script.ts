import { randomUUID } from 'node:crypto';
import {
  AgentProcess,
  killLeftovers,
  type RememberedProcess,
  signalStep,
  stopProcess,
} from '@baton/process';
import type { Confine } from '@baton/process/isolation/confine';
import type { WorkspaceRecord } from '@baton/protocol';
import { workspaceVariables } from './workspace-variables.ts';

/** A command line for the shell, or a program with its arguments. */
export type Script = string | readonly string[];

export type RunScriptOptions = {
  script: Script;
  workspace: Pick<
    WorkspaceRecord,
    'path' | 'cwd' | 'branch' | 'base_commit' | 'repository' | 'ports'
  >;
  /** Variables of the script, in addition to those of the workspace. */
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that it may take; no limit by default. */
  timeoutMs?: number | undefined;
  /** Called once the script runs. */
  onStart?(process: RememberedProcess): void;
  /** Called with each line of output. */
  onLine(line: string, stream: 'stdout' | 'stderr'): void;
  confine?: Confine | undefined;
  /** Aborting it stops the script and everything that it started. */
  signal?: AbortSignal | undefined;
};

export type ScriptResult = {
  /** Null if it was stopped or killed. */
  exitCode: number | null;
  /** The reason if Baton stopped it. */
  stopped?: 'timeout' | 'aborted' | undefined;
  /** Milliseconds that it took. */
  ms: number;
};

/** Time that a script has to end on its own when it is stopped. */
const GRACE_MS = 2000;

/** Runs a setup, cleanup or dev-server script in a workspace. No process that it starts outlives it. */
export async function runScript(options: RunScriptOptions): Promise<ScriptResult> {
  const { script, workspace, env, timeoutMs, onLine, confine, signal } = options;
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  if (signal?.aborted) return { exitCode: null, stopped: 'aborted', ms: 0 };
  const [file = '', ...args] = typeof script === 'string' ? ['/bin/sh', '-c', script] : script;
  const cwd = workspace.path;
  const command = { file, args, cwd, env: { ...env, ...workspaceVariables(workspace) } };
  const confined = confine?.(command);
  const runId = `script-${randomUUID()}`;
  const child = await AgentProcess.spawn({
    ...command,
    ...confined,
    env: confined?.env ?? command.env,
    runId,
    stdin: 'none',
    onLine: (line) => onLine(line, 'stdout'),
    onLongLine: (head) => onLine(head, 'stdout'),
    onStderrLine: (line) => onLine(line, 'stderr'),
  });
  options.onStart?.({ pid: child.pid, startTicks: child.startTicks ?? 0, runId });
  let stopped: ScriptResult['stopped'];
  let stopping: Promise<unknown> | undefined;
  const stop = (why: NonNullable<ScriptResult['stopped']>) => {
    stopped ??= why;
    stopping ??= stopProcess({ process: child, steps: [signalStep(child, 'SIGTERM', GRACE_MS)] });
  };
  const onAbort = () => stop('aborted');
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop('timeout'), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const { code } = await child.closed;
    await stopping;
    await killLeftovers(child);
    return { exitCode: stopped ? null : code, stopped, ms: took() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
