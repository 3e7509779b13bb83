import { rmSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner can read, whole or not at all; one that is there stays as it is. */
export function writeUnlessThere(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    // A full disk has room for the name and not for the text.
    rmSync(file, { force: true });
    throw error;
  }
}
