import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import { onTestFinished } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');

export type Served = {
  child: ChildProcess;
  url: string;
  /** The secret of the one-time link; only at the first start. */
  secret: string | undefined;
};

/** Starts `baton serve` as a process of its own, and waits until it is ready; it is killed when the test is over. */
export async function serveIn(
  folder: string,
  port = 0,
  more: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const args = [MAIN, 'serve', '--folder', folder, '--port', `${port}`, ...more];
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
  const [url = '', secret] = /http\S+/.exec(line)?.[0].split('/#link=') ?? [];
  return { child, url, secret };
}

/** Logs in with the secret of a link. */
export async function login({ url, secret }: Served): Promise<string> {
  const stranger = new BatonClient({ url });
  const args = [{ strategy: 'link', secret }];
  type Login = { accessToken: string };
  const { accessToken } = await stranger.connection.call<Login>('authentication', 'create', args);
  stranger.close();
  return accessToken;
}
