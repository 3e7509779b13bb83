import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import type { Daemon } from '@baton/daemon';
import { inject, onTestFinished } from 'vitest';

const MAIN = inject('baton');

export type Served = {
  child: ChildProcess;
  url: string;
  /** The secret of the one-time link; only at the first start. */
  secret: string | undefined;
};

/**
 * Starts `baton serve` as a separate process, and waits until it is ready; it is stopped after the test. Its tasks stop
 * with it, unless the test passes `--detach-executors`.
 */
export async function serveIn(
  folder: string,
  port = 0,
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const end = more.includes('--detach-executors') ? [] : ['--stop-tasks'];
  const args = [MAIN, 'serve', '--folder', folder, '--port', `${port}`, ...end, ...more];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, BATON_DEMO_PACE: '0', ...env },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = String((await lines.next()).value);
  return { child, ...addressIn(line) };
}

/** Parses the address and the secret in the line that a daemon prints. */
export function addressIn(line: string): Pick<Served, 'url' | 'secret'> {
  const [url = '', secret] = /http\S+/.exec(line)?.[0].split('/#link=') ?? [];
  return { url, secret };
}

/** Logs in with the secret of a one-time link. */
export async function login({ url, secret = '' }: Pick<Served, 'url' | 'secret'>): Promise<string> {
  const stranger = new BatonClient({ url });
  const { accessToken } = await stranger.authentication.withLink(secret);
  stranger.close();
  return accessToken;
}

/** Logs in to a daemon of this program, as its owner. */
export function ownerOf({ url, firstLink }: Pick<Daemon, 'url' | 'firstLink'>): Promise<string> {
  return login({ url, secret: firstLink?.split('#link=')[1] });
}
