import type { Baton } from '@baton/agents/registry/baton';
import {
  allOptions,
  type Command,
  type CommandEntry,
  type Option,
} from '../../arguments/command.ts';

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

/** Describes commands for a completion script. */
export function describeCommands(
  commands: ReadonlyMap<string, CommandEntry>,
  baton: Baton,
): Promise<CompletedCommand[]> {
  return Promise.all(
    [...commands].map(async ([name, { summary, load }]) => {
      const command = await load();
      return {
        name,
        summary,
        words: [...(command.words ?? [])],
        options: described(command, baton),
      };
    }),
  );
}

function described(command: Command, baton: Baton): CompletedOption[] {
  return Object.entries(allOptions(command)).map(([name, option]) => ({
    name,
    short: option.short,
    about: option.about,
    takesValue: option.type === 'string',
    files: option.choices === 'files',
    words: words(option, baton),
  }));
}

function words({ choices }: Option, baton: Baton): string[] {
  if (choices === undefined || choices === 'files') return [];
  if (choices !== 'backends') return [...choices];
  return baton.backends().flatMap(({ id, aliases = [] }) => [id, ...aliases]);
}
