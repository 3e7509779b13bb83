import { mkdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isAlive, startTicksOf } from '@baton/process';

type MachineSlotOptions = {
  /** Folder of the slots, shared by all programs of the user. */
  folder: string;
  /** Number of calls at the same time. */
  count?: number | undefined;
};

/** A released slot is usually noticed at once; this is for file systems without notifications. */
const RECHECK_MS = 250;
/** A process writes a slot at once after it made it. */
const WRITE_MS = 10_000;

/**
 * Limits how many calls of git run at the same time on this machine: a hundred workspaces must not freeze it. A slot is a
 * file with the process that holds it; the slot of a process that is gone is free.
 */
export class MachineSlots {
  #folder: string;
  #count: number;
  /** Number of slots that this process holds or waits for at the files. */
  #busy = 0;
  #queue: (() => void)[] = [];

  constructor({ folder, count = Math.max(2, availableParallelism()) }: MachineSlotOptions) {
    this.#folder = folder;
    this.#count = count;
  }

  /** Waits for a slot and returns the function that frees it; rejects if the signal aborts first. */
  async take(signal: AbortSignal): Promise<() => void> {
    await this.#turn(signal);
    try {
      const path = await this.#file(signal);
      return () => {
        if (path) rmSync(path, { force: true });
        this.#next();
      };
    } catch (error) {
      this.#next();
      throw error;
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#busy < this.#count) {
      this.#busy += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#queue = this.#queue.filter((each) => each !== enter);
      reject(signal.reason);
    };
    const enter = () => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    this.#queue.push(enter);
    signal.addEventListener('abort', leave, { once: true });
    await promise;
  }

  #next(): void {
    const enter = this.#queue.shift();
    if (enter) enter();
    else this.#busy -= 1;
  }

  /** The file of a free slot; undefined if this machine has no place for such files, which is no reason to wait. */
  async #file(signal: AbortSignal): Promise<string | undefined> {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch {
      return undefined;
    }
    // Usually one is free: to watch the folder costs more than to look.
    const free = this.#freeFile();
    if (free !== 'busy') return free;
    for (;;) {
      const changed = this.#changed(signal);
      try {
        const found = this.#freeFile();
        if (found !== 'busy') return found;
        await changed.promise;
        signal.throwIfAborted();
      } finally {
        changed.cancel();
      }
    }
  }

  /** Takes a free slot; undefined if there is no place for the files. */
  #freeFile(): string | undefined | 'busy' {
    for (let n = 0; n < this.#count; n++) {
      const path = join(this.#folder, `slot-${n}`);
      const taken = takeFile(path);
      if (taken === 'taken') return path;
      if (taken === 'impossible') return undefined;
    }
    return 'busy';
  }

  #changed(signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = () => resolve();
    const timer = setTimeout(settle, RECHECK_MS);
    const watcher = watchFolder(this.#folder, settle);
    signal.addEventListener('abort', settle);
    return {
      promise,
      cancel() {
        clearTimeout(timer);
        watcher?.close();
        signal.removeEventListener('abort', settle);
      },
    };
  }
}

function watchFolder(folder: string, onChange: () => void) {
  try {
    return watch(folder, onChange).on('error', onChange);
  } catch {
    return undefined;
  }
}

function takeFile(path: string): 'taken' | 'busy' | 'impossible' {
  const owner = JSON.stringify({ pid: process.pid, startTicks: startTicksOf(process.pid) });
  try {
    writeFileSync(path, owner, { flag: 'wx', mode: 0o600 });
    return 'taken';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      // A full disk has room for the name of a file, but not for its content.
      rmSync(path, { force: true });
      return 'impossible';
    }
  }
  if (isHeld(path)) return 'busy';
  // Two processes may find the same dead owner: the second removes the slot of the first, which lets one call more run.
  rmSync(path, { force: true });
  return 'busy';
}

function isHeld(path: string): boolean {
  try {
    const { pid, startTicks } = JSON.parse(readFileSync(path, 'utf8'));
    return isAlive({ pid, startTicks });
  } catch (error) {
    // Released in this moment, or not written yet.
    return (error as NodeJS.ErrnoException).code === undefined && isNew(path);
  }
}

/** True unless a process was killed before it could write the file that it had made. */
function isNew(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) < WRITE_MS;
}
