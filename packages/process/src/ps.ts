import { spawnSync } from 'node:child_process';
import type { ProcessInfo } from './process-table.ts';

/** Reads every process with one call of `ps`, for systems without /proc. */
export function readPs(): ProcessInfo[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return (stdout ?? '').split('\n').flatMap(parsePsLine);
}

function parsePsLine(line: string): ProcessInfo[] {
  const [pid, ppid, pgid, state, ...start] = line.trim().split(/\s+/);
  const startTicks = Date.parse(`${start.join(' ')} UTC`) / 1000;
  if (!pid || Number.isNaN(startTicks)) return [];
  return [
    {
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      sid: 0,
      startTicks,
      state: state?.charAt(0) ?? '?',
    },
  ];
}
