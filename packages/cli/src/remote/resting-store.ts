import { takeFolder } from '@baton/daemon';
import { BatonError } from '@baton/protocol';
import type { Store } from '@baton/store';
import { checkWritable, databaseOf, withLocalStore } from './local-store.ts';

/** A daemon that was not heard of for so long is gone. */
const SILENT_MS = 30_000;

/** Opens a database that nobody works on; on SQLite no daemon can begin to meanwhile. */
export async function withRestingStore<Result>(
  folder: string,
  act: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { url, isPostgres } = databaseOf(folder);
  const alone = async (store: Store) => {
    await checkResting(store);
    return act(store);
  };
  if (isPostgres) return withLocalStore(folder, alone);
  checkWritable(url);
  const { leave } = takeFolder(folder);
  try {
    return await withLocalStore(folder, alone);
  } finally {
    leave();
  }
}

/** Whoever writes meanwhile remembers what a session was, or finds none for a moment. */
async function checkResting(store: Store): Promise<void> {
  const since = store.now() - SILENT_MS;
  const daemons = await store.records.daemons.find();
  const awake = daemons.find(({ heartbeat_at }) => heartbeat_at >= since);
  // On SQLite the folder is ours, so that one is gone and had no time to say so.
  if (awake && store.engine === 'postgres') throw inUse(`The daemon at ${awake.url} uses it.`);
  const leases = await store.leases.current();
  if (leases.length === 0) return;
  throw inUse(
    `${leases.length === 1 ? '1 task is' : `${leases.length} tasks are`} being carried out.`,
  );
}

function inUse(why: string): BatonError {
  return new BatonError('conflict', `The database is in use. ${why}`, {
    hint: 'Stop every daemon of this database first.',
  });
}
