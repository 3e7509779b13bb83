import { takeFolder } from '@baton/daemon';
import { BatonError } from '@baton/protocol/values';
import type { Store } from '@baton/store';
import { checkWritable, databaseOf, withLocalStore } from './local-store.ts';

/** A daemon that was not heard of for so long is gone. */
const SILENT_MS = 30_000;

/** Opens a database that no daemon uses; on SQLite none can start meanwhile. */
export async function withIdleStore<Result>(
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

/** A concurrent writer would work with stale or missing sessions. */
async function checkResting(store: Store): Promise<void> {
  const since = store.now() - SILENT_MS;
  const daemons = await store.records.daemons.find();
  const awake = daemons.find(({ heartbeat_at }) => heartbeat_at >= since);
  // On SQLite the folder is ours, so that one is gone and had no time to say so.
  if (awake && store.engine === 'postgres') throw inUse(`The daemon at ${awake.url} is using it.`);
  const leases = await store.leases.current();
  if (leases.length === 0) return;
  throw inUse(`${leases.length === 1 ? '1 task is' : `${leases.length} tasks are`} running.`);
}

function inUse(why: string): BatonError {
  return new BatonError('conflict', `The database is in use. ${why}`, {
    hint: 'Stop all daemons that use this database first.',
  });
}
