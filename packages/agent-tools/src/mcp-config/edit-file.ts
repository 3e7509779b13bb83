import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeDraft } from '@baton/config/paths/atomic-file';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { BatonError } from '@baton/protocol/values';

/** Maximum number of attempts at an edit, if another program writes the file meanwhile. */
const MAX_TRIES = 10;
const BACKUP_SUFFIX = '.baton-backup';

export type EditedFile = {
  /** The file that was written: where links lead. */
  path: string;
  /** A copy of the file as it was; nothing for a new file. */
  backup?: string;
};

/** The text of a file, with its byte order mark; undefined if there is no file. Throws for anything but UTF-8. */
export function readText(path: string): string | undefined {
  const bytes = readBytes(path);
  return bytes && decode(bytes, path);
}

/**
 * Replaces a file by an edited text: a reader finds the old text or the new one. The file keeps its mode and
 * owner. The edit is repeated if the file changed meanwhile; between that check and the replacement nothing is done.
 * `edit` may throw, which leaves everything as it is.
 */
export function editFile(
  named: string,
  edit: (text: string) => string,
  /** Called before the file is checked for changes of others; for tests. */
  beforeCheck?: () => void,
): EditedFile {
  const path = resolveLinks('/', named);
  if (path === undefined) {
    throw new BatonError('config_invalid', `${named} is a link that leads to itself.`);
  }
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const done = tryEdit(path, edit, beforeCheck);
      if (done) return done;
    }
  } catch (cause) {
    if (BatonError.is(cause)) throw cause;
    throw new BatonError('config_invalid', `Cannot write ${path}: ${(cause as Error).message}`, {
      hint: 'Check the owner and permissions of the file and its folder.',
      cause,
    });
  }
  throw new BatonError('conflict', `${path} keeps changing; nothing was written.`, {
    hint: 'Close the program that writes it, and try again.',
  });
}

function tryEdit(
  path: string,
  edit: (text: string) => string,
  beforeCheck?: () => void,
): EditedFile | undefined {
  const before = readBytes(path);
  const text = before === undefined ? '' : decode(before, path);
  const edited = edit(text);
  if (before !== undefined && edited === text) return { path };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = writeDraft(path, edited);
  try {
    beforeCheck?.();
    if (!isSame(readBytes(path), before)) return undefined;
    const backup = before && path + BACKUP_SUFFIX;
    if (backup) renameSync(writeDraft(path, before), backup);
    renameSync(next, path);
    return { path, ...(backup ? { backup } : {}) };
  } finally {
    rmSync(next, { force: true });
  }
}

function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new BatonError('config_invalid', `Cannot read ${path}: ${message}`, {
      hint: 'Check the owner and permissions of the file and its folder.',
      cause,
    });
  }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new BatonError('config_invalid', `${path} is not UTF-8.`, {
      hint: 'Convert the file to UTF-8. It was not changed.',
      cause,
    });
  }
}

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
