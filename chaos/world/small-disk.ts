import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const SIZE = '32m';
const PIECE = Buffer.alloc(64 * 1024);

/** Returns why no small disk can be created here; undefined if it can. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return 'a small disk can only be made on Linux';
  return process.getuid?.() === 0 ? undefined : 'only root can make a small disk';
}

/** A folder on a disk of its own that is easily filled. */
export class SmallDisk {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder]);
  }

  /** Leaves not a byte free. */
  fill(): void {
    const file = openSync(this.#filling, 'w');
    try {
      for (;;) writeSync(file, PIECE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  heal(): void {
    rmSync(this.#filling, { force: true });
  }

  remove(): void {
    execFileSync('umount', ['-l', this.folder]);
  }

  get #filling(): string {
    return join(this.folder, 'filling');
  }
}
