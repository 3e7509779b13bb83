import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { isAlive, thisProcess } from '@baton/runtime';

/** The folder of a daemon, which belongs to one daemon at a time. */
export type DaemonFolder = {
  /** The daemon has the same one after a crash: its executors are still its own. */
  readonly daemonId: string;
  /** Leaves the folder to the next daemon. */
  leave(): void;
};

type Holder = { pid: number; startTicks: number };

/** Takes a folder for this process; refuses while another daemon that lives has it. */
export function takeFolder(folder: string): DaemonFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'lock');
  const me = JSON.stringify(thisProcess());
  while (!writtenFirst(lock, me)) {
    const holder = holderIn(lock);
    if (holder && isAlive(holder)) throw taken(folder, holder);
    rmSync(lock, { force: true });
  }
  return { daemonId: idIn(folder), leave: () => rmSync(lock, { force: true }) };
}

function taken(folder: string, { pid }: Holder): BatonError {
  return new BatonError('conflict', `Another daemon (process ${pid}) uses ${folder}.`, {
    hint: 'Stop it first, or give this one a folder of its own with --folder.',
  });
}

function idIn(folder: string): string {
  const file = join(folder, 'daemon.id');
  writtenFirst(file, randomUUID());
  return readFileSync(file, 'utf8').trim();
}

/** Writes a file unless there is one. */
function writtenFirst(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // A full disk has room for the name and not for the text.
    rmSync(file, { force: true });
    throw error;
  }
}

/** Nobody, when the file is damaged or was removed meanwhile. */
function holderIn(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}
