import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { openPostgres } from '../engine/postgres.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { openStore } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { newSession, queuePrompt } from '../testing/session.ts';
import * as titles from './migrations/0005-titles.ts';
import * as unparsedLines from './migrations/0008-unparsed-lines.ts';

onBothEngines('a database', (engine) => {
  test('is refused when a newer version has written it', async () => {
    const url = await engine.database();
    await (await openStore({ url })).close();
    const raw = engine.kind === 'sqlite' ? openSqlite(url) : openPostgres(url);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', 'now')`.execute(
      raw.db,
    );
    await raw.close();
    await expect(openStore({ url })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The database was written by a newer version of Baton (9999-future).',
    });
  });

  test('that was interrupted restarts from the beginning', async () => {
    const url = await engine.database();
    const raw = engine.kind === 'sqlite' ? openSqlite(url) : openPostgres(url);
    await sql`create table raw_output (in_the_way text)`.execute(raw.db);
    await expect(openStore({ url })).rejects.toMatchObject({ code: 'store_unavailable' });
    await sql`drop table raw_output`.execute(raw.db);
    await raw.close();
    const store = await engine.open({ url });
    expect(await store.records.users.count()).toBe(0);
  });

  test('has names for the sessions of before that had none', async () => {
    const url = await engine.database();
    const store = await openStore({ url });
    const unnamed = await newSession(store, '');
    const taskId = await queuePrompt(store, unnamed, 'Mend the door.\nIt creaks.');
    await queuePrompt(store, unnamed, 'Thanks');
    const edited = { type: 'prompt.edited' as const, taskId, prompt: 'Paint it.' };
    await store.log.append(unnamed, () => ({ drafts: [edited], result: undefined }));
    const silent = await newSession(store, '');
    const named = await newSession(store, 'Doors');
    await queuePrompt(store, named, 'Mend the door.');
    const after = await store.records.sessions.find();
    await store.records.sessions.update({ session_id: unnamed }, { title: '' });
    await store.close();
    const raw = engine.kind === 'sqlite' ? openSqlite(url) : openPostgres(url);
    await titles.up(raw.db as unknown as Kysely<unknown>);
    await raw.close();
    const again = await engine.open({ url });
    expect(await again.records.sessions.find()).toEqual(after);
    const titleOf = async (id: string) => (await again.records.sessions.get(id))?.title;
    expect(await titleOf(unnamed)).toBe('Mend the door.');
    expect([await titleOf(silent), await titleOf(named)]).toEqual(['', 'Doors']);
  });

  test('counts the unrecognized lines in one entry per task', async () => {
    const url = await engine.database();
    const store = await openStore({ url });
    const session_id = await newSession(store, 'Lines');
    await store.close();
    const raw = engine.kind === 'sqlite' ? openSqlite(url) : openPostgres(url);
    const lines = [
      { task_id: 'one', cursor: 101 },
      { task_id: 'two', cursor: 102 },
      { task_id: 'one', cursor: 103 },
    ];
    for (const { task_id, cursor } of lines) {
      const key = `at:${cursor}`;
      const place = { key, taskId: task_id, cursor, through: cursor, time: 1, open: false };
      const body = JSON.stringify({ ...place, kind: 'unparsed', source: 'stdout', line: '{' });
      await sql`insert into entries (session_id, entry_key, task_id, kind, first_cursor, through, open, body)
        values (${session_id}, ${key}, ${task_id}, 'unparsed', ${cursor}, ${cursor}, 0, ${body})`.execute(
        raw.db,
      );
    }
    await unparsedLines.up(raw.db as unknown as Kysely<unknown>);
    await raw.close();
    const entries = await (await engine.open({ url })).entries(session_id, { limit: 10 });
    const common = { time: 1, open: false, kind: 'unparsed' };
    expect(entries.filter(({ kind }) => kind === 'unparsed')).toEqual([
      { ...common, key: 'one:unparsed', taskId: 'one', cursor: 101, through: 103, count: 2 },
      { ...common, key: 'two:unparsed', taskId: 'two', cursor: 102, through: 102, count: 1 },
    ]);
  });

  test('is migrated by the first process, and the others wait', async () => {
    const url = await engine.database();
    const count = engine.kind === 'postgres' ? 3 : 1;
    const stores = await Promise.all(Array.from({ length: count }, () => openStore({ url })));
    for (const store of stores) {
      expect(await store.records.users.count()).toBe(0);
      await store.close();
    }
  });
});
