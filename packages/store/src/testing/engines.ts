import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest';
import { openStore, type Store, type StoreOptions } from '../open-store.ts';
import { sharedDatabase } from './shared-database.ts';

export type TestEngine = {
  kind: 'sqlite' | 'postgres';
  /** An empty database. */
  database(): Promise<string>;
  /** Opens a database, a new one unless told; it is closed when the test is over. */
  open(options?: Partial<StoreOptions>): Promise<Store>;
};

type Body = (engine: TestEngine) => void;

/** Runs tests on both engines, each with separate databases. */
export function onBothEngines(name: string, body: Body): void {
  onSqlite(name, body);
  onPostgres(name, body);
}

/** Describes what holds on SQLite. */
export function onSqlite(name: string, body: Body): void {
  describe(`${name} on sqlite`, () => {
    let folder: string;
    let files = 0;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    body(engine('sqlite', async () => join(folder, `${files++}.db`)));
  });
}

/** Describes what holds on PostgreSQL. The suite `unit` has none. */
export function onPostgres(name: string, body: Body): void {
  if (inject('postgres') === undefined) return;
  describe(`${name} on postgres`, () => {
    body(engine('postgres', sharedDatabase));
  });
}

function engine(kind: TestEngine['kind'], database: () => Promise<string>): TestEngine {
  let stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
  });
  return {
    kind,
    database,
    async open(options = {}) {
      const url = options.url ?? (await database());
      const store = await openStore({ ...options, url });
      let closing: Promise<void> | undefined;
      const once: Store = {
        ...store,
        close() {
          closing ??= store.close();
          return closing;
        },
      };
      stores.push(once);
      return once;
    },
  };
}
