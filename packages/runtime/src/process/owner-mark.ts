import { readlinkSync } from 'node:fs';
import { readProcess } from './proc-fs.ts';
import { canVerify } from './tree.ts';

/** How a run tells which program owns it: its pid, when it started, and the pid namespace in which that counts. */
export function ownerMark(): string | undefined {
  const self = canVerify ? readProcess(process.pid) : undefined;
  const namespace = pidNamespace();
  if (!self || namespace === undefined) return undefined;
  return `${self.pid}.${self.startTicks}.${namespace}`;
}

/** The namespace in which this program's pids count; nothing where the system does not tell. */
export function pidNamespace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
}
