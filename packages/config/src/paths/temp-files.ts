import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Private files for one agent process; the folder is made when the first file is. */
export class TempFiles {
  #folder: string | undefined;

  /** Folder of the files, once there is one. */
  get folder(): string | undefined {
    return this.#folder;
  }

  /** Writes a file that only this user can read, and returns its path. */
  write(name: string, content: string): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'baton-'));
    const path = join(this.#folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  remove(): void {
    if (!this.#folder) return;
    rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
