import type { Store } from '@baton/store';
import type { Logger } from 'pino';
import { readSettings } from '../settings/read-settings.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days for which ended executors and expired tokens are kept. */
const TRACES_DAYS = 30;
/** An import finishes quickly. */
const LEFT_IMPORT_DAYS = 1;
/** A crashed daemon leaves its row behind. */
const LOST_DAEMON_DAYS = 1;

/** Numbers of removed rows by kind. */
export type Removed = Record<
  'rawOutput' | 'sessions' | 'imports' | 'executors' | 'tokens' | 'daemons',
  number
>;

/** Removes data that is older than the retention settings allow. */
export async function applyRetention(store: Store): Promise<Removed> {
  const settings = await readSettings(store);
  const before = (days: number) => store.now() - days * DAY_MS;
  const rawDays = settings['retention.raw_output_days'];
  const archivedDays = settings['retention.archived_days'];
  return {
    rawOutput: rawDays === null ? 0 : await store.rawOutput.removeBefore(before(rawDays)),
    sessions: archivedDays === null ? 0 : await store.removal.archivedBefore(before(archivedDays)),
    imports: await store.imports.removeBefore(before(LEFT_IMPORT_DAYS)),
    executors: await store.removal.executorsBefore(before(TRACES_DAYS)),
    tokens: await store.removal.tokensBefore(before(TRACES_DAYS)),
    daemons: await store.removal.daemonsBefore(before(LOST_DAEMON_DAYS)),
  };
}

/** Removes expired data, and logs what was removed. */
export async function removeExpired(store: Store, log: Logger): Promise<void> {
  const removed = await applyRetention(store);
  const isAny = Object.values(removed).some((count) => count > 0);
  if (isAny) log.info(removed, 'Deleted expired data.');
}
