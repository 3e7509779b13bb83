import { createServer } from 'node:net';
import { BatonClient } from '@baton/client';
import { vi } from 'vitest';
import type { ServedDaemon } from './served-daemon.ts';

/** Exchanges the one-time link of a daemon for a token. */
export async function login(url: string, daemon: ServedDaemon): Promise<string> {
  const secret = await vi.waitUntil(() => daemon.secret);
  const stranger = new BatonClient({ url });
  const { accessToken } = await stranger.authentication.useLink(secret);
  stranger.close();
  return accessToken;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}
