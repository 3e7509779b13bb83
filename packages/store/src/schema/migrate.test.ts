import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openPostgres } from '../engine/postgres.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { openStore } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';

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

  test('is brought up to date by whoever comes first, and the others wait', async () => {
    const url = await engine.database();
    const count = engine.kind === 'postgres' ? 3 : 1;
    const stores = await Promise.all(Array.from({ length: count }, () => openStore({ url })));
    for (const store of stores) {
      expect(await store.records.users.count()).toBe(0);
      await store.close();
    }
  });
});
