import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { type Daemon, startDaemon } from '@baton/daemon';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

let folder: string;
let daemon: Daemon;
let client: BatonClient;
let sessionId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-reconnect-'));
  daemon = await start(0);
  client = new BatonClient({ url: daemon.url, token: await ownersToken() });
  onTestFinished(async () => {
    client.close();
    await daemon.close();
    rmSync(folder, { recursive: true });
  });
  ({ session_id: sessionId } = await client.sessions.create({ cwd: '/', backend: 'demo' }));
});

const start = (port: number) => startDaemon({ folder, port, logLevel: 'silent' });

async function ownersToken(): Promise<string> {
  const secret = daemon.firstLink?.split('#link=')[1];
  const stranger = new BatonClient({ url: daemon.url });
  const args = [{ strategy: 'link', secret }];
  type Login = { accessToken: string };
  const { accessToken } = await stranger.connection.call<Login>('authentication', 'create', args);
  stranger.close();
  return accessToken;
}

/** Follows the session, and returns a growing list of cursors. */
function followed(): number[] {
  const cursors: number[] = [];
  const enough = new AbortController();
  const following = (async () => {
    for await (const { cursor } of client.follow(sessionId, { signal: enough.signal })) {
      cursors.push(cursor);
    }
  })();
  onTestFinished(async () => {
    enough.abort();
    await following;
  });
  return cursors;
}

test('a client reconnects to a daemon that was stopped and restarted', async () => {
  const seen = followed();
  await vi.waitFor(() => expect(seen).toEqual([1]), 10_000);
  await daemon.close();
  daemon = await start(Number(new URL(daemon.url).port));
  await vi.waitFor(() => client.sessions.get(sessionId), 10_000);
  await client.sessions.patch(sessionId, { title: 'Still here' });
  await vi.waitFor(() => expect(seen).toEqual([1, 2]), 10_000);
});

test('a follower waits for a database that is unavailable for a while', async () => {
  const seen = followed();
  await vi.waitFor(() => expect(seen).toEqual([1]), 10_000);
  const outage = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const asked = vi.spyOn(daemon.store.records.sessions, 'get').mockRejectedValue(outage);
  const other = followed();
  await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(1), 10_000);
  asked.mockRestore();
  await client.sessions.patch(sessionId, { title: 'Still here' });
  await vi.waitFor(
    () =>
      expect([seen, other]).toEqual([
        [1, 2],
        [1, 2],
      ]),
    10_000,
  );
});

test('following a session that does not exist is an error', async () => {
  const following = client.follow('no such session').next();
  await expect(following).rejects.toMatchObject({ code: 'not_found' });
});
