import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import type { ProcessInfo } from './process-table.ts';

/** Listings repeated at most this often, on a machine where new processes never stop appearing. */
const MAX_LISTINGS = 4;
const MS_PER_TICK = 10;

let shared = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads every process from /proc, including those that started while it was reading. */
export function readProcessTable(): ProcessInfo[] {
  const table: ProcessInfo[] = [];
  const seen = new Set<string>();
  for (let listing = 0; listing < MAX_LISTINGS; listing++) {
    const fresh = readdirSync('/proc').filter((name) => isPid(name) && !seen.has(name));
    if (fresh.length === 0) return table;
    for (const name of fresh) {
      seen.add(name);
      const info = readProcess(name);
      if (info) table.push(info);
    }
  }
  return table;
}

/** Reads one process from /proc; nothing when it is gone. */
export function readProcess(pid: number | string): ProcessInfo | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  return stat && parseStat(stat.toString('latin1'));
}

/**
 * Tells whether the environment that a process was started with has the variable. A process that is just
 * replacing its program shows none at all for a moment: then nothing can be told.
 */
export function startedWithVariable(pid: number, name: string): boolean | undefined {
  const environ = readProcFile(`/proc/${pid}/environ`);
  if (!environ) return false;
  if (environ.length === 0) return undefined;
  const entry = `${name}=`;
  for (let at = environ.indexOf(entry); at !== -1; at = environ.indexOf(entry, at + 1)) {
    if (at === 0 || environ[at - 1] === 0) return true;
  }
  return false;
}

/** The environment that a process was started with, its entries separated by NUL; empty when it cannot be read. */
export function environmentOf(pid: number): string {
  return readProcFile(`/proc/${pid}/environ`)?.toString('latin1') ?? '';
}

/** Translates a time of the clock into the count of ticks since boot, in which Linux gives start times. */
export function ticksAt(time: number): number {
  const uptime = Number.parseFloat(readProcFile('/proc/uptime')?.toString('latin1') ?? '0');
  return Math.floor((uptime * 1000 - (Date.now() - time)) / MS_PER_TICK);
}

/** Reads the fields that matter from the text of /proc/<pid>/stat. */
export function parseStat(stat: string): ProcessInfo | undefined {
  // The command name is in parentheses and may itself contain spaces and parentheses.
  const nameEnd = stat.lastIndexOf(')');
  if (nameEnd === -1) return undefined;
  const fields = stat.slice(nameEnd + 2).split(' ', 20);
  const threads = Number(fields[17]);
  const state = fields[0] ?? '?';
  return {
    pid: Number.parseInt(stat, 10),
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    sid: Number(fields[3]),
    startTicks: Number(fields[19]),
    // A main thread that has ended looks like a zombie although the other threads live on.
    state: state === 'Z' && threads > 1 ? 'z' : state,
  };
}

/** Returns the content in a buffer that the next call overwrites; undefined if it cannot be read. */
function readProcFile(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    let length = 0;
    for (;;) {
      length += readSync(file, shared, length, shared.length - length, null);
      // These files give all they have as long as there is room: asking again for nothing costs a third of a look.
      if (length < shared.length) return shared.subarray(0, length);
      shared = Buffer.concat([shared], shared.length * 2);
    }
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

function isPid(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 48 && first <= 57;
}
