import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { BatonError } from '@baton/protocol/values';
import type { ResolvedOptions } from '../definition/driver.ts';

type TerminalRun = { file: string; args: string[]; options: Pick<ResolvedOptions, 'cwd' | 'env'> };

/** Runs a program in the foreground of the terminal until it ends; Ctrl-C goes to the program only. */
export function runInTerminal({ file, args, options }: TerminalRun): Promise<{ exitCode: number }> {
  const ignored = () => {};
  process.on('SIGINT', ignored);
  process.on('SIGQUIT', ignored);
  const { promise, resolve, reject } = Promise.withResolvers<{ exitCode: number }>();
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: 'inherit' });
  child.once('error', (cause) =>
    reject(
      new BatonError('backend_not_executable', `Cannot start ${file}: ${cause.message}`, {
        cause,
      }),
    ),
  );
  child.once('exit', (code, signal) =>
    resolve({ exitCode: code ?? (signal ? 128 + constants.signals[signal] : 1) }),
  );
  return promise.finally(() => {
    process.off('SIGINT', ignored);
    process.off('SIGQUIT', ignored);
  });
}
