import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { BatonError } from '@baton/protocol';
import type { ResolvedOptions } from './driver.ts';

type TerminalRun = { file: string; args: string[]; options: Pick<ResolvedOptions, 'cwd' | 'env'> };

/** Gives the terminal to a program until it ends; the keyboard's signals are for the program alone. */
export function runInTerminal({ file, args, options }: TerminalRun): Promise<{ exitCode: number }> {
  const ignored = () => {};
  process.on('SIGINT', ignored);
  process.on('SIGQUIT', ignored);
  const { promise, resolve, reject } = Promise.withResolvers<{ exitCode: number }>();
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: 'inherit' });
  child.once('error', (cause) =>
    reject(
      new BatonError('backend_not_executable', `${file} could not be started: ${cause.message}`, {
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
