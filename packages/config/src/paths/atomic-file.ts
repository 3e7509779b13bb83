import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { resolveLinks } from './resolve-links.ts';

type AtomicWriteOptions = {
  /** The mode of the file; by default that of the file it replaces, or 0600. */
  mode?: number | undefined;
};

/**
 * Replaces a file in one step: a reader, and a machine that loses power, find the old content or the new one. A link
 * stays a link: the file it leads to is replaced. The file keeps its owner and mode. Creates missing folders.
 */
export function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options?: AtomicWriteOptions,
): void {
  const target = resolveLinks('/', path) ?? path;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const draft = writeDraft(target, content, options);
  try {
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Writes a complete file beside the one it is for, with its owner and mode, and returns its path. The caller renames or
 * removes it.
 */
export function writeDraft(
  path: string,
  content: string | Uint8Array,
  { mode }: AtomicWriteOptions = {},
): string {
  const replaced = statSync(path, { throwIfNoEntry: false });
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  if (replaced && (replaced.uid !== process.getuid?.() || replaced.gid !== process.getgid?.())) {
    keepOwner(draft, replaced);
  }
  chmodSync(draft, mode ?? (replaced ? replaced.mode & 0o777 : 0o600));
  return draft;
}

/** Only root can give a file away; for others it becomes their own. */
function keepOwner(path: string, { uid, gid }: Stats): void {
  try {
    chownSync(path, uid, gid);
  } catch {
    // The content matters more than the owner.
  }
}
