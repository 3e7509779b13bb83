import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Tables } from '../schema/tables.ts';
import type { Engine } from './engine.ts';
import { PostgresListener } from './postgres-listener.ts';

const BIGINT = 20;
const CHANNEL = 'baton';

/** Opens a PostgreSQL database by its address. */
export function openPostgres(url: string): Engine {
  const settings = { connectionString: url, types: { getTypeParser }, keepAlive: true };
  const pool = new pg.Pool({ ...settings, max: 10 });
  // A broken connection is replaced, and its user gets the error with the next query.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const listener = new PostgresListener(settings, CHANNEL);
  return {
    kind: 'postgres',
    db,
    async notify(tx, message) {
      await sql`select pg_notify(${CHANNEL}, ${message})`.execute(tx);
    },
    listen: (hear) => listener.listen(hear),
    async close() {
      await listener.close();
      await db.destroy();
    },
  };
}

/** All our bigints are times and counts, which fit into a number. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === BIGINT) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
