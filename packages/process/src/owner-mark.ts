import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { homeFolder } from '@baton/config/paths/home-folder';
import { readProcess } from './proc-fs.ts';
import { canVerify } from './process-table.ts';

/**
 * Returns the mark of the program that owns a run: its pid, its start time, the pid namespace in which these count, and
 * its user, by a digest of the home folder.
 */
export function ownerMark(): string | undefined {
  const self = canVerify ? readProcess(process.pid) : undefined;
  const namespace = pidNamespace();
  if (!self || namespace === undefined) return undefined;
  return `${self.pid}.${self.startTicks}.${namespace}.${userDigest()}`;
}

/** Distinguishes users, and programs with a separate home, such as services. */
export function userDigest(): string {
  return createHash('sha256').update(homeFolder()).digest('hex').slice(0, 12);
}

/** The namespace in which this program's pids count; undefined if the system does not report it. */
export function pidNamespace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
}
