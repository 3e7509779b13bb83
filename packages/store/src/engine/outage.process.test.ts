import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStore, type Store } from '../open-store.ts';
import { startPostgres, type TestPostgres } from '../testing/postgres.ts';
import { newSession, queuePrompt } from '../testing/session.ts';
import { outageOf } from './outage.ts';
import { openSqlite } from './sqlite.ts';

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

test('an error in a query is not an outage, and neither is our own error', async () => {
  const { db, close } = openSqlite(':memory:');
  onTestFinished(close);
  const mistake = await failureOf(sql`select nonsense from nowhere`.execute(db));
  expect(mistake).toBeInstanceOf(Error);
  expect(outageOf(mistake)).toBeUndefined();
  expect(outageOf(new BatonError('conflict', 'No.'))).toBeUndefined();
  expect(outageOf('words')).toBeUndefined();
});

test('a full disk is an outage of SQLite, and it resumes when there is space again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { db, close } = openSqlite(join(folder, 'full.db'));
  onTestFinished(close);
  await sql`create table t (body text)`.execute(db);
  await sql`pragma max_page_count = 10`.execute(db);
  const write = () =>
    db
      .transaction()
      .execute((tx) => sql`insert into t values (${'x'.repeat(100_000)})`.execute(tx));
  const failure = outageOf(await failureOf(write()));
  expect(failure).toMatchObject({ code: 'store_unavailable', retryable: true });
  expect(String(failure?.cause)).toContain('full');
  await sql`pragma max_page_count = 1000`.execute(db);
  await write();
});

describe('a PostgreSQL that is killed', () => {
  let server: TestPostgres;
  let store: Store;
  beforeAll(async () => {
    server = await startPostgres();
    store = await openStore({ url: await server.database() });
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  test('is an outage for running operations, and does not end the program', async () => {
    const sessionId = await newSession(store);
    const inTheMiddle = Promise.withResolvers<void>();
    const killed = Promise.withResolvers<void>();
    const writing = failureOf(
      store.log.append(sessionId, async () => {
        inTheMiddle.resolve();
        await killed.promise;
        return { drafts: [{ type: 'session.changed', changes: {} }], result: undefined };
      }),
    );
    await inTheMiddle.promise;
    await server.kill();
    // Its connection breaks while nobody asks anything of it.
    await vi.waitFor(async () => {
      const refused = outageOf(await failureOf(store.records.users.count()));
      expect(refused?.code).toBe('store_unavailable');
    });
    killed.resolve();
    expect(outageOf(await writing)?.code).toBe('store_unavailable');
    const heard = new Promise((resolve) => store.wakeUps.once('all', () => resolve(true)));
    await server.restart();
    expect(await heard).toBe(true);
    await queuePrompt(store, sessionId);
    const { events } = await store.log.read(sessionId, 0, 100);
    expect(events.map(({ type }) => type)).toEqual(['session.created', 'prompt.queued']);
  });
});
