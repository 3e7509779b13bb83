import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BatonError } from '@baton/protocol';
import { writeUnlessThere } from './write-unless-there.ts';

/** The folder of a daemon, which belongs to one daemon at a time. */
export type DaemonFolder = {
  /** The daemon has the same one after a crash: its executors are still its own. */
  readonly daemonId: string;
  /** Leaves the folder to the next daemon. */
  leave(): void;
};

/** Takes a folder for this process; refuses while another daemon has it. */
export function takeFolder(folder: string): DaemonFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holder = join(folder, 'daemon.pid');
  const lock = locked(join(folder, 'daemon.lock'));
  if (!lock) throw taken(folder, holder);
  try {
    writeFileSync(holder, `${process.pid}`, { mode: 0o600 });
    const leave = () => {
      // Before the lock, or it could be the word of the next one already.
      rmSync(holder, { force: true });
      unlock(lock);
    };
    return { daemonId: idIn(folder), leave };
  } catch (error) {
    unlock(lock);
    throw error;
  }
}

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
  writeUnlessThere(file, '');
  chmodSync(file, 0o600);
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function taken(folder: string, holder: string): BatonError {
  return new BatonError('conflict', `Another daemon${processIn(holder)} is using ${folder}.`, {
    hint: 'Stop it first, or choose another folder with --folder.',
  });
}

/** A daemon that just took the folder may not have written its id yet. */
function processIn(holder: string): string {
  try {
    return ` (process ${readFileSync(holder, 'utf8')})`;
  } catch {
    return '';
  }
}

function idIn(folder: string): string {
  const file = join(folder, 'daemon.id');
  writeUnlessThere(file, randomUUID());
  return readFileSync(file, 'utf8').trim();
}
