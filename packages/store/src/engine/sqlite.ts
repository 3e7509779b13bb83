import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { Engine } from './engine.ts';

/** Maximum number of cached prepared statements. */
const KEPT_STATEMENTS = 500;

/** Longest wait for other writers. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;
/** SQLite's result code while another connection holds the lock. */
const BUSY = 5;

/** Opens a database file, or one in memory, with Node's own SQLite. */
export function openSqlite(path: string): Engine {
  if (path !== ':memory:') makePrivateFile(path);
  const database = new DatabaseSync(path);
  try {
    prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }
  // Its own function knows the letters of ASCII only.
  database.function('lower_case', { deterministic: true }, (text) => String(text).toLowerCase());
  const db = new Kysely<Tables>({
    dialect: new Dialect({ database: new KyselyDatabase(database) }),
  });
  return {
    kind: 'sqlite',
    db,
    notify: async () => {},
    listen: async () => {},
    close: () => db.destroy(),
  };
}

function prepare(database: DatabaseSync): void {
  // First of all, because also what follows may have to wait for others who open it.
  database.exec(`pragma busy_timeout = ${PATIENCE_MS}`);
  // Readers do not wait for writers.
  patiently(() => database.exec('pragma journal_mode = wal'));
  // A commit is on the disk when it returns.
  database.exec('pragma synchronous = full; pragma foreign_keys = on');
}

/** Retries while the database is busy: SQLite rejects concurrent changes of the journal mode without waiting. */
function patiently(act: () => void): void {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== BUSY || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }
}

/** Kysely leaves it to us whether tables are made in a transaction; whatever ends a migration halfway then undoes it. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Shows Node's SQLite as Kysely wants to see a database. */
class KyselyDatabase {
  #database: DatabaseSync;
  #statements = new Map<string, KyselyStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): KyselyStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    // A transaction that reads first and writes then must not find another writer in between.
    const statement = new KyselyStatement(
      this.#database.prepare(sql === 'begin' ? 'begin immediate' : sql),
      // A failure for lack of space has already rolled back its transaction.
      sql === 'rollback' ? () => this.#database.isTransaction : () => true,
    );
    if (this.#statements.size >= KEPT_STATEMENTS) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

class KyselyStatement {
  readonly reader: boolean;
  #statement: StatementSync;
  #isDue: () => boolean;

  constructor(statement: StatementSync, isDue: () => boolean) {
    this.#statement = statement;
    this.#isDue = isDue;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...(parameters as SQLInputValue[]));
  }

  run(parameters: readonly unknown[]): {
    changes: number | bigint;
    lastInsertRowid: number | bigint;
  } {
    if (!this.#isDue()) return { changes: 0, lastInsertRowid: 0 };
    return this.#statement.run(...(parameters as SQLInputValue[]));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>;
  }
}

/** Creates the file readable by its owner only, whatever the permissions of its folder. */
function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
