import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True if this program has the terminal; a background program is stopped when it reads the keyboard. */
export function isInForeground(): boolean {
  try {
    return process.platform === 'linux' ? linuxForeground() : psForeground();
  } catch {
    return true;
  }
}

function linuxForeground(): boolean {
  const facts = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [, , group, , , foreground] = facts;
  return group === foreground;
}

/** `ps` marks foreground processes with a plus. */
function psForeground(): boolean {
  const state = execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], {
    encoding: 'utf8',
  });
  return state.includes('+');
}
