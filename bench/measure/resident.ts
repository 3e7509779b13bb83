import { readFileSync } from 'node:fs';

const KB_PER_MB = 1024;

/** The memory that a process has right now, in MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / KB_PER_MB;
}
