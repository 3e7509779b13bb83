import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@baton/store';
import { expect, onTestFinished, test } from 'vitest';
import { startDaemon } from '../../start-daemon.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

test('a daemon is listed while it runs, and another that is silent is not alive', async () => {
  const daemon = await testDaemon();
  const { store, url } = daemon.daemon;
  await store.records.daemons.insert({
    daemon_id: 'lost',
    host: 'h',
    url: 'http://h',
    version: '1',
    slots: 1,
    started_at: 1,
    heartbeat_at: store.now() - 31_000,
  });
  const { body } = await daemon.call('GET', '/daemons', { as: daemon.tokens.viewer });
  expect(body).toMatchObject([
    { daemon_id: 'lost', alive: false },
    { url, alive: true, slots: 0, version: expect.any(String) },
  ]);
});

test('a stopped daemon deregisters itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-daemons-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const daemon = await startDaemon({ folder, port: 0, logLevel: 'silent' });
  expect(await daemon.store.records.daemons.count()).toBe(1);
  await daemon.close();
  const store = await openStore({ url: join(folder, 'baton.db') });
  onTestFinished(() => store.close());
  expect(await store.records.daemons.count()).toBe(0);
});
