import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, LogEvent } from '@baton/protocol';
import pg from 'pg';
import type { RequestRow, SessionRow, TaskRow, TokenRow, UserRow } from '../schema/tables.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/first-version');

/** Data that the first version read from the database it had written. */
export type FirstVersion = {
  sessions: SessionRow[];
  tasks: TaskRow[];
  requests: RequestRow[];
  users: UserRow[];
  tokens: TokenRow[];
  /** In the order of the sessions. */
  logs: LogEvent[][];
  entries: Entry[][];
};

/** The token that lets the owner in. */
export const FIRST_VERSION_TOKEN = 'baton_first-version-token';

/** Restores a database of the first version at the given URL: a file, or an empty PostgreSQL database. */
export async function restoreFirstVersion(url: string): Promise<FirstVersion> {
  const isPostgres = url.startsWith('postgres');
  if (isPostgres) await run(url, readFileSync(join(FOLDER, 'postgres.sql'), 'utf8'));
  else cpSync(join(FOLDER, 'baton.db'), url);
  const name = isPostgres ? 'postgres.json' : 'sqlite.json';
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
}

async function run(connectionString: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statements);
  await client.end();
}
