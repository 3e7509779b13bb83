import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openPostgres } from '../engine/postgres.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { openStore } from '../open-store.ts';
import { onPostgres, onSqlite } from '../testing/engines.ts';
import { restoreFirstVersion } from '../testing/first-version.ts';

const FIRST_PENDING = '0002-spool-folders';

/** The copies of a database that are kept. */
function copiesOf(url: string): string[] {
  return readdirSync(dirname(url)).filter((name) => name.startsWith(`${basename(url)}.before-`));
}

async function migrationsIn(url: string): Promise<string[]> {
  const { db, close } = openSqlite(url);
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  await close();
  return rows.map(({ name }) => name);
}

onSqlite('a database of an earlier version', (engine) => {
  test('is copied before it is changed, and the copy is what the earlier version wrote', async () => {
    const url = await engine.database();
    const { tasks } = await restoreFirstVersion(url);
    const told: string[] = [];
    const store = await engine.open({ url, upgrade: { tell: (line) => told.push(line) } });
    expect(await store.records.tasks.count()).toBe(tasks.length);
    const copy = `${url}.before-${FIRST_PENDING}`;
    expect(told).toEqual([
      `The database is being upgraded. Its previous version is kept in ${copy}.`,
    ]);
    expect(await migrationsIn(copy)).toEqual(['0001-first']);
    // It is upgraded again like the original.
    const again = await engine.open({ url: copy });
    expect(await again.records.tasks.count()).toBe(tasks.length);
  });

  test('keeps the last two copies', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    for (const [age, name] of ['0099-oldest', '0098-old', '0097-newer'].entries()) {
      const path = `${url}.before-${name}`;
      writeFileSync(path, '');
      utimesSync(path, 1000 + age, 1000 + age);
    }
    await engine.open({ url });
    const name = basename(url);
    expect(copiesOf(url).sort()).toEqual([
      `${name}.before-${FIRST_PENDING}`,
      `${name}.before-0097-newer`,
    ]);
  });

  test('is not changed when it cannot be copied', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    const copy = `${url}.before-${FIRST_PENDING}`;
    // A folder with this name is in the way.
    mkdirSync(join(copy, 'full'), { recursive: true });
    await expect(openStore({ url })).rejects.toThrow();
    expect(await migrationsIn(url)).toEqual(['0001-first']);
  });

  test('is refused by a command that only looks', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    await expect(openStore({ url, upgrade: 'never' })).rejects.toMatchObject({ code: 'conflict' });
    expect(await migrationsIn(url)).toEqual(['0001-first']);
  });

  test('a new database, and one that is up to date, are not copied', async () => {
    const url = await engine.database();
    await (await engine.open({ url })).close();
    await engine.open({ url });
    expect(copiesOf(url)).toEqual([]);
  });
});

onPostgres('a database of an earlier version', (engine) => {
  test('is changed with a hint how to copy it', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    const told: string[] = [];
    await engine.open({ url, upgrade: { daemonId: 'own', tell: (line) => told.push(line) } });
    expect(told.join()).toContain(`pg_dump --format=custom --file=baton-before-${FIRST_PENDING}`);
  });

  test('is not changed while another daemon uses it, unless told', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    const { db, close } = openPostgres(url);
    await sql`delete from daemons`.execute(db);
    await sql`insert into daemons (daemon_id, host, url, version, slots, started_at, heartbeat_at)
      values ('other', 'far-away', 'http://x', '0', 1, 0, ${Date.now()})`.execute(db);
    await close();
    const upgrade = { daemonId: 'own' };
    await expect(openStore({ url, upgrade })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('far-away'),
      hint: expect.stringContaining('--migrate'),
    });
    await engine.open({ url, upgrade: { ...upgrade, isForced: true } });
  });

  test('is changed by the only daemon that uses it, which was just restarted', async () => {
    const url = await engine.database();
    await restoreFirstVersion(url);
    const { db, close } = openPostgres(url);
    await sql`delete from daemons`.execute(db);
    await sql`insert into daemons (daemon_id, host, url, version, slots, started_at, heartbeat_at)
      values ('own', 'here', 'http://x', '0', 1, 0, ${Date.now()})`.execute(db);
    await close();
    await engine.open({ url, upgrade: { daemonId: 'own' } });
  });
});
