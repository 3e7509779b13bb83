import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@baton/store';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openSqlite } from '../../../store/src/engine/sqlite.ts';
import { health } from './health.ts';

type Context = Parameters<ReturnType<typeof health>>[0];

test('a daemon on a full disk is alive and not ready, until there is space again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = mkdtempSync(join(tmpdir(), 'baton-health-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { db, close } = openSqlite(join(folder, 'full.db'));
  onTestFinished(close);
  await sql`create table beats (body text)`.execute(db);
  // Each heartbeat needs space of its own, as in a database whose log is at its end.
  const update = () => sql`insert into beats values (${'x'.repeat(100_000)})`.execute(db);
  const store = { records: { daemons: { update } }, now: Date.now } as unknown as Store;
  const answer = health(store, 'daemon');
  const ask = async (path: string) => {
    const ctx = { path } as Context;
    await answer(ctx, async () => {});
    return [ctx.status ?? 200, ctx.body];
  };
  await sql`pragma max_page_count = 10`.execute(db);
  expect(await ask('/readyz')).toEqual([503, { status: 'The disk is full.' }]);
  expect(await ask('/healthz')).toEqual([200, { status: 'ok' }]);
  await sql`pragma max_page_count = 1000`.execute(db);
  expect((await ask('/readyz'))[0], 'the answer is still fresh').toBe(503);
  vi.advanceTimersByTime(2001);
  expect(await ask('/readyz')).toEqual([200, { status: 'ok' }]);
});
