import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { BatonError } from '@baton/protocol';

/** A check takes about 1 ms per MB from memory, and much longer from a slow disk. */
const CHECKED_AT_ONCE_BYTES = 128 * 1024 * 1024;

/** As text, because a bundle has no file of its own for it. */
const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { readOnly: true });
  let said;
  try {
    database.exec('pragma busy_timeout = 10000');
    said = Object.values(database.prepare('pragma quick_check(1)').get())[0];
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
 * Looks for damage in a database file: in a small one at once, and then it throws; in a large one in the background, so
 * that nobody has to wait for it. Gives a function that ends the check.
 */
export function checkSqlite(
  path: string,
  { onDamage, atOnceBytes = CHECKED_AT_ONCE_BYTES }: CheckOptions,
): () => Promise<void> {
  const { size } = statSync(path);
  if (size <= atOnceBytes) {
    checkNow(path);
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

function checkNow(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec('pragma busy_timeout = 10000');
    const said = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})[0];
    if (said !== 'ok') throw damaged(path, String(said));
  } finally {
    database.close();
  }
}

/** The error for a database file that cannot be trusted any more. */
export function damaged(path: string, why: string): BatonError {
  return new BatonError('store_damaged', `The database ${path} is damaged: ${why}`);
}
