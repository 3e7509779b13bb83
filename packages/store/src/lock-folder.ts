import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BatonError } from '@baton/protocol';

/** Locks a folder for a program of which only one may use it; returns what unlocks it. */
export function lockFolder(folder: string, owner: { program: string; option: string }): () => void {
  try {
    return lockWritable(folder, owner);
  } catch (error) {
    throw BatonError.is(error) ? error : notWritable(folder, error, owner);
  }
}

function lockWritable(folder: string, owner: { program: string; option: string }): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holder = join(folder, `${owner.program}.pid`);
  const file = join(folder, `${owner.program}.lock`);
  let lock = locked(file);
  if (!lock) throw taken(folder, holder, owner);
  try {
    writeFileSync(holder, `${process.pid}`, { mode: 0o600 });
  } catch (error) {
    unlock(lock);
    throw error;
  }
  // Programs that clean up old files would let a second one in.
  const watch = setInterval(() => {
    if (existsSync(file)) return;
    try {
      lock = locked(file) ?? lock;
      writeFileSync(holder, `${process.pid}`, { mode: 0o600 });
    } catch {
      // The next check tries again.
    }
  }, WATCH_MS).unref();
  return () => {
    clearInterval(watch);
    // Before the lock is released: the next program writes the same file.
    rmSync(holder, { force: true });
    if (lock) unlock(lock);
  };
}

function notWritable(folder: string, cause: unknown, { option }: { option: string }): BatonError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new BatonError('store_unavailable', `Cannot write to ${folder} (${code ?? message}).`, {
    hint: `Check its owner, its permissions and the free disk space, or choose another folder with ${option}.`,
    cause,
  });
}

/** The time between two checks that the lock file is still there. */
const WATCH_MS = 2000;

/** Kept here, because a lock that nothing refers to is closed with the garbage. */
const LOCKS = new Set<DatabaseSync>();

function unlock(lock: DatabaseSync): void {
  LOCKS.delete(lock);
  lock.close();
}

/** A lock that the kernel takes back when its process ends, however that ends: SQLite's own, on an empty database. */
function locked(file: string): DatabaseSync | undefined {
  makePrivate(file);
  const lock = new DatabaseSync(file);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    LOCKS.add(lock);
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** SQLite itself would let others read the file. Opening and closing an existing file would release its lock. */
function makePrivate(file: string): void {
  if (!existsSync(file)) create(file);
  chmodSync(file, 0o600);
}

function create(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function taken(
  folder: string,
  holder: string,
  { program, option }: { program: string; option: string },
): BatonError {
  return new BatonError('conflict', `Another ${program}${processIn(holder)} is using ${folder}.`, {
    hint: `Stop it first, or choose another folder with ${option}.`,
  });
}

/** A process that just took the folder may not have written its id yet. */
function processIn(holder: string): string {
  try {
    return ` (process ${readFileSync(holder, 'utf8')})`;
  } catch {
    return '';
  }
}
