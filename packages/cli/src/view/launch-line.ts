import type { LaunchedCommand } from '@baton/protocol';
import { safe } from './style.ts';

/** The exact command that is started, as one could paste it into a shell. */
export function launchLine({ file, args, cwd, transport }: LaunchedCommand): string {
  return safe(`command (${transport}, in ${cwd}): ${[file, ...args].map(quoted).join(' ')}`);
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
