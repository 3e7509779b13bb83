import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether this program has the terminal; one in the background is stopped when it touches the keyboard. */
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

/** `ps` marks with a plus what has the terminal. */
function psForeground(): boolean {
  const state = execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], {
    encoding: 'utf8',
  });
  return state.includes('+');
}
