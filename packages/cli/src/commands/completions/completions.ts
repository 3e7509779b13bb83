import { BatonError } from '@baton/protocol/values';
import type { Command, CommandEntry } from '../../arguments/command.ts';
import { bashCompletions } from './bash.ts';
import { describeCommands } from './describe-commands.ts';
import { fishCompletions } from './fish.ts';
import { zshCompletions } from './zsh.ts';

export const SHELLS = new Map([
  ['bash', bashCompletions],
  ['zsh', zshCompletions],
  ['fish', fishCompletions],
]);

/** The command that prints completion scripts for a table of commands, which includes itself. */
export function completionsOf(commands: ReadonlyMap<string, CommandEntry>): Command {
  return {
    name: 'completions',
    summary: 'Print a completion script for bash, zsh or fish.',
    usage: 'baton completions bash|zsh|fish',
    words: [...SHELLS.keys()],
    options: {},
    notes: [
      'bash: baton completions bash > ~/.local/share/bash-completion/completions/baton',
      'zsh:  baton completions zsh > ~/.zsh/completions/_baton   (a folder in your fpath)',
      'fish: baton completions fish > ~/.config/fish/completions/baton.fish',
    ],
    async run({ positionals }, baton) {
      const make = SHELLS.get(positionals[0] ?? '');
      if (!make || positionals.length > 1)
        throw new BatonError('usage', 'Missing shell.', {
          hint: `Use one of ${[...SHELLS.keys()].join(', ')}.`,
        });
      process.stdout.write(make(await describeCommands(commands, baton)));
      return 0;
    },
  };
}
