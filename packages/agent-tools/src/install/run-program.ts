import { randomUUID } from 'node:crypto';
import { AgentProcess, killLeftovers, signalStep, stopProcess } from '@baton/process';
import { raceTimer } from '@baton/process/time/race-timer';
import { BatonError } from '@baton/protocol/values';

const STOP_MS = 2000;

export type ProgramRequest = {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  /** Ends the program, and with it the whole installation. */
  signal: AbortSignal;
  onStderrLine?: ((line: string) => void) | undefined;
};
type ProgramEnd = {
  /** The exit code; nothing for a program that was killed, or took too long. */
  code: number | null;
  stdout: string;
  stderr: string;
};

/** Runs a program to its end, and ends everything that it started. */
export async function runProgram(request: ProgramRequest): Promise<ProgramEnd> {
  const { file, args, cwd, env, timeoutMs, signal, onStderrLine } = request;
  checkInterrupt(signal);
  const lines: string[] = [];
  const child = await AgentProcess.spawn({
    file,
    args,
    cwd,
    env,
    runId: `install_${randomUUID()}`,
    stdin: 'none',
    onLine: (line) => lines.push(line),
    ...(onStderrLine ? { onStderrLine } : {}),
  });
  const hasEnded = await raceTimer([child.exited], timeoutMs, signal);
  if (!hasEnded)
    await stopProcess({ process: child, steps: [signalStep(child, 'SIGTERM', STOP_MS)] });
  await killLeftovers(child);
  const { code } = await child.closed;
  checkInterrupt(signal);
  return { code: hasEnded ? code : null, stdout: lines.join('\n'), stderr: child.stderr };
}

/** Throws once the installation was interrupted. */
export function checkInterrupt(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new BatonError('interrupted', 'The installation was interrupted; nothing was changed.', {
    hint: 'Run the command again to install the agent.',
  });
}
