import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { nextSpoolName } from '@baton/protocol';

const PIECE_BYTES = 1024 * 1024;

/** Reads this many bytes of a file from an offset. */
export function readExactly(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, bytes, filled, length - filled, start + filled);
    if (count === 0) throw new Error('The spool is shorter than it was.');
    filled += count;
  }
  return bytes;
}

/**
 * Puts what a file has from a place on into a new one, which takes its name and is given back. At each moment the name
 * leads to all of it. Nothing when that is not possible; then all is as before.
 */
export function restInNewFile(path: string, file: number, start: number): number | undefined {
  const next = nextSpoolName(path);
  let copy: number | undefined;
  try {
    // A process may have died while doing this.
    rmSync(next, { force: true });
    copy = openSync(next, 'ax+', 0o600);
    copyRest(file, start, copy);
    renameSync(next, path);
  } catch {
    if (copy === undefined) return undefined;
    closeSync(copy);
    rmSync(next, { force: true });
    return undefined;
  }
  closeSync(file);
  return copy;
}

function copyRest(file: number, start: number, copy: number): void {
  const { size } = fstatSync(file);
  for (let at = start; at < size; ) {
    const piece = readExactly(file, at, Math.min(PIECE_BYTES, size - at));
    const written = writeSync(copy, piece);
    if (written < piece.length) throw new Error('No space.');
    at += written;
  }
}
