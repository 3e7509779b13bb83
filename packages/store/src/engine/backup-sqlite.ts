import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BatonError } from '@baton/protocol';

export type BackupReport = { bytes: number };

/** Comes between the name of a backup that is being made and the process that makes it. */
const DRAFT = '.baton-draft-';
/** SQLite has files of its own beside the one that it writes. */
const DRAFT_NAME = /\.baton-draft-(\d+)(?:-journal|-wal|-shm)?$/;

/**
 * Copies a database into a new file, consistently and while it is in use. The copy gets its name only when it is
 * complete, checked and on the disk.
 */
export function backupSqlite(path: string, target: string): BackupReport {
  if (!existsSync(path)) throw new BatonError('not_found', `No database at ${path}.`);
  if (existsSync(target)) throw taken(target);
  const draft = `${target}${DRAFT}${process.pid}`;
  removeDrafts(dirname(target));
  try {
    // Made here first, so that it is never readable for others.
    writeFileSync(draft, '', { mode: 0o600, flag: 'wx' });
    copy(path, draft);
    check(draft);
    sync(draft);
    // A rename would replace a file that was created there meanwhile.
    linkSync(draft, target);
    return { bytes: statSync(target).size };
  } catch (cause) {
    if (BatonError.is(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken(target);
    throw new BatonError('store_unavailable', `The backup failed: ${message}`, {
      hint: 'Check the backup folder and the free disk space.',
      cause,
    });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes what backups that were killed have left in a folder, whatever they were to be called. */
export function removeDrafts(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = Number(DRAFT_NAME.exec(name)?.[1]);
    if (pid && !isRunning(pid)) rmSync(join(folder, name), { force: true });
  }
}

/** True for the name of a copy that is not complete. */
export function isDraft(name: string): boolean {
  return DRAFT_NAME.test(name);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function copy(path: string, draft: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma busy_timeout = 10000;');
    database.prepare('vacuum into ?').run(draft);
  } finally {
    database.close();
  }
}

function check(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    const said = Object.values(row ?? {})[0];
    if (said !== 'ok') throw new BatonError('store_unavailable', `The copy is damaged: ${said}`);
  } finally {
    database.close();
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function taken(target: string): BatonError {
  return new BatonError('usage', `${target} already exists; backups never overwrite.`, {
    hint: 'Choose another file name, or delete the existing file first.',
  });
}
