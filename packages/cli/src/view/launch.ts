import type { LaunchedCommand } from '@baton/runtime';

/** The exact command that is started, as one could paste it into a shell. */
export function launchLine({ file, args, cwd, transport }: LaunchedCommand): string {
  return `command (${transport}, in ${cwd}): ${[file, ...args].map(quoted).join(' ')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
