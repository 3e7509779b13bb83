import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { backupSqlite, isDraft } from '../engine/backup-sqlite.ts';
import type { Engine } from '../engine/engine.ts';

/** Number of backups of earlier versions to keep. */
const KEPT_COPIES = 2;
/** A daemon without a heartbeat for this long is not running. */
const SILENT_MS = 30_000;

/** Options for upgrading a database of an earlier version. */
export type UpgradeOptions = {
  /** The daemon that opens the database; any other daemon that uses it blocks the upgrade. */
  daemonId?: string | undefined;
  /** True to upgrade even while other daemons use the database. */
  isForced?: boolean | undefined;
  /** Called with progress messages for the user. */
  tell?: ((line: string) => void) | undefined;
};

/** Copies a SQLite database before it is changed. PostgreSQL: rejects if other daemons use it, and suggests a dump. */
export async function beforeUpgrade(
  engine: Engine,
  url: string,
  { pending, now, ...options }: UpgradeOptions & { pending: readonly string[]; now: number },
): Promise<void> {
  const [first] = pending;
  if (first === undefined || url === ':memory:') return;
  if (engine.kind === 'sqlite') copyDatabase(url, first, options);
  else await checkOthers(engine, first, { ...options, now });
}

function copyDatabase(path: string, first: string, { tell }: UpgradeOptions): void {
  const copy = `${path}.before-${first}`;
  // An upgrade that was interrupted or undone is done again.
  rmSync(copy, { force: true });
  backupSqlite(path, copy);
  removeOldCopies(path);
  tell?.(`The database is being upgraded. Its previous version is kept in ${copy}.`);
}

function removeOldCopies(path: string): void {
  const folder = dirname(path);
  const copies = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}.before-`) && !isDraft(name))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of copies.slice(KEPT_COPIES)) rmSync(old, { force: true });
}

async function checkOthers(
  { db }: Engine,
  first: string,
  { daemonId = '', isForced, tell, now }: UpgradeOptions & { now: number },
): Promise<void> {
  const dump = `pg_dump --format=custom --file=baton-before-${first}.dump "$DATABASE_URL"`;
  const others = await db
    .selectFrom('daemons')
    .select('host')
    .where('daemon_id', '!=', daemonId)
    .where('heartbeat_at', '>', now - SILENT_MS)
    .execute();
  if (others.length > 0 && !isForced) {
    const hosts = [...new Set(others.map(({ host }) => host))].join(', ');
    throw new BatonError(
      'conflict',
      `This version has to upgrade the database, which other daemons use (${hosts}).`,
      { hint: `Stop them, make a copy with: ${dump}\nThen start one daemon with --migrate.` },
    );
  }
  tell?.(
    `The database is being upgraded. To be able to go back, restore a copy that you made before: ${dump}`,
  );
}
