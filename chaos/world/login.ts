import { BatonClient } from '@baton/client';
import { vi } from 'vitest';
import type { ServedDaemon } from './served-daemon.ts';

/** Exchanges the one-time link of a daemon for a token. */
export async function login(url: string, daemon: ServedDaemon): Promise<string> {
  const secret = await vi.waitUntil(() => daemon.secret);
  const stranger = new BatonClient({ url });
  const { accessToken } = await stranger.authentication.withLink(secret);
  stranger.close();
  return accessToken;
}
