import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '@baton/store';
import { writeUnlessThere } from './write-unless-there.ts';

/** The folder of a daemon, which belongs to one daemon at a time. */
export type DaemonFolder = {
  /** The daemon has the same one after a crash: its executors are still its own. */
  readonly daemonId: string;
  /** Leaves the folder to the next daemon. */
  leave(): void;
};

/** Takes a folder for this process; refuses while another daemon has it. */
export function takeFolder(folder: string): DaemonFolder {
  const leave = lockFolder(folder, { program: 'daemon', option: '--folder' });
  try {
    return { daemonId: idIn(folder), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

function idIn(folder: string): string {
  const file = join(folder, 'daemon.id');
  writeUnlessThere(file, randomUUID());
  return readFileSync(file, 'utf8').trim();
}
