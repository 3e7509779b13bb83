import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { BatonError } from '@baton/protocol';

/** A check takes about 1 ms per MB from memory, and much longer from a slow disk. */
const CHECKED_AT_ONCE_BYTES = 128 * 1024 * 1024;

/**
 * Returns the result of SQLite's check of a database file: `ok`, or what is damaged. A worker runs the source of this
 * function, because a bundle has no separate file for it: nothing outside may be used here.
 */
function quickCheck(Database: typeof DatabaseSync, path: string): string {
  const database = new Database(path, { readOnly: true });
  try {
    database.exec('pragma busy_timeout = 10000');
    return String(Object.values(database.prepare('pragma quick_check(1)').get() ?? {})[0]);
  } finally {
    database.close();
  }
}

const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const check = ${quickCheck};
  let said;
  try {
    said = check(DatabaseSync, workerData);
  } catch (error) {
    said = error.message;
  }
  parentPort.postMessage(said);
`;

export type CheckOptions = {
  /** Told when a check in the background finds damage. Without it, large databases are not checked. */
  onDamage?: ((error: BatonError) => void) | undefined;
  /** Larger files are checked in the background. */
  atOnceBytes?: number;
};

/**
 * Checks a database file for damage: a small one immediately, and throws; a large one in the background, without
 * blocking. Returns a function that ends the check.
 */
export function checkSqlite(
  path: string,
  { onDamage, atOnceBytes = CHECKED_AT_ONCE_BYTES }: CheckOptions,
): () => Promise<void> {
  const { size } = statSync(path);
  if (size <= atOnceBytes) {
    const said = quickCheck(DatabaseSync, path);
    if (said !== 'ok') throw damaged(path, said);
    return async () => {};
  }
  if (!onDamage) return async () => {};
  const worker = new Worker(WORKER, { eval: true, workerData: path });
  worker.unref();
  worker.on('message', (said: string) => {
    if (said !== 'ok') onDamage(damaged(path, said));
  });
  // A machine without room for another thread can still use its database.
  worker.on('error', () => {});
  return async () => {
    await worker.terminate();
  };
}

/** The error for a database file that can no longer be trusted. */
export function damaged(path: string, why: string): BatonError {
  return new BatonError('store_damaged', `The database ${path} is damaged: ${why}`);
}
