import { readFileSync } from 'node:fs';

const MS_PER_TICK = 10;
/** utime, stime, cutime and cstime, counted from the field behind the name of the command. */
const TIMES = [11, 12, 13, 14];

/** The processor time that a process and all its children that have ended have used, in milliseconds. */
export function cpuMs(pid: number | 'self' = 'self'): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TIMES.reduce((total, field) => total + Number(fields[field]), 0) * MS_PER_TICK;
}
