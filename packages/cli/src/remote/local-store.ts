import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { databaseKind, openStore, type Store } from '@baton/store';

/** Returns the URL of the database of a daemon on this machine. */
export function databaseOf(folder: string): { url: string; isPostgres: boolean } {
  const url = process.env.DATABASE_URL || join(folder, 'baton.db');
  return { url, isPostgres: databaseKind(url) === 'postgres' };
}

/** Opens the database of a daemon on this machine; never creates one. */
export async function withLocalStore<Result>(
  folder: string,
  act: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { url, isPostgres } = databaseOf(folder);
  if (!isPostgres) checkWritable(url);
  const store = await openStore({ url, upgrade: 'never' });
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

/** Makes sure that there is a database, and that this user may write it. */
export function checkWritable(path: string): void {
  if (!existsSync(path)) {
    throw new BatonError('not_found', `No database at ${path}.`, {
      hint: "Run this on the daemon's machine; pass its folder with --folder, or set DATABASE_URL.",
    });
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw new BatonError('forbidden', `No write access to ${path}.`, {
      hint: 'Run the command as the user who runs the daemon.',
      cause,
    });
  }
}
