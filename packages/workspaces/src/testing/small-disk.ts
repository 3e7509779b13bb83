import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

const KB = Buffer.alloc(1024);

/** A file system of its own at a folder, which a test can fill. */
export class SmallDisk {
  readonly folder: string;

  constructor(context: TestContext, folder: string, size: string) {
    this.folder = folder;
    if (process.getuid?.() !== 0) context.skip('only root can mount a small disk');
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], {
        stdio: 'pipe',
      });
    } catch {
      context.skip('this machine does not let root mount a small disk');
    }
    onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  }

  /** Uses all space. */
  fill(): void {
    const file = openSync(join(this.folder, 'filler'), 'a');
    try {
      for (;;) writeSync(file, KB);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Makes room again. */
  free(): void {
    rmSync(join(this.folder, 'filler'));
  }
}
