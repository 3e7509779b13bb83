import { BatonError } from '@baton/protocol';
import { backendEntries } from '@baton/runtime/internal';
import { allOptions, type Command, type Option } from '../arguments/command.ts';
import { bashCompletions } from '../completions/bash.ts';
import { fishCompletions } from '../completions/fish.ts';
import { zshCompletions } from '../completions/zsh.ts';
import { COMMANDS } from './index.ts';

/** Description of an option for a completion script. */
export type CompletedOption = {
  name: string;
  short?: string | undefined;
  about: string;
  takesValue: boolean;
  files: boolean;
  words: string[];
};
export type CompletedCommand = {
  name: string;
  summary: string;
  /** Words that the command itself takes. */
  words: string[];
  options: CompletedOption[];
};

export const SHELLS = new Map([
  ['bash', bashCompletions],
  ['zsh', zshCompletions],
  ['fish', fishCompletions],
]);

export const completions: Command = {
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
  async run({ positionals }) {
    const make = SHELLS.get(positionals[0] ?? '');
    if (!make || positionals.length > 1)
      throw new BatonError('usage', 'Missing shell.', {
        hint: `Use one of ${[...SHELLS.keys()].join(', ')}.`,
      });
    process.stdout.write(make(await describeCommands()));
    return 0;
  },
};

/** All commands, as a completion script has to know them. */
export function describeCommands(): Promise<CompletedCommand[]> {
  return Promise.all(
    [...COMMANDS].map(async ([name, { summary, load }]) => {
      const command = await load();
      return { name, summary, words: [...(command.words ?? [])], options: described(command) };
    }),
  );
}

function described(command: Command): CompletedOption[] {
  return Object.entries(allOptions(command)).map(([name, option]) => ({
    name,
    short: option.short,
    about: option.about,
    takesValue: option.type === 'string',
    files: option.choices === 'files',
    words: words(option),
  }));
}

function words({ choices }: Option): string[] {
  if (choices === undefined || choices === 'files') return [];
  if (choices !== 'backends') return [...choices];
  return backendEntries().flatMap(({ id, aliases = [] }) => [id, ...aliases]);
}
