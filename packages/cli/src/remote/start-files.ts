import type { StartFiles } from '@baton/client';
import { BatonError } from '@baton/protocol/values';
import { type OptionTable, type Parsed, textOf } from '../arguments/command.ts';

const CHOICES: readonly StartFiles[] = ['present', 'restored', 'worktree'];

/** The option that chooses the files of a fork or a retry. */
export const START_FILES_OPTION: OptionTable[string] = {
  type: 'string',
  value: 'WHICH',
  about: 'fork, retry: files to start with: present, restored or worktree',
  choices: CHOICES,
};

export const START_FILES_NOTES: readonly string[] = [
  '--files=restored takes back what the turn and later ones changed, after a checkpoint;',
  '--files=worktree starts in a new worktree with the files at the start of the turn.',
];

/** The files that a fork or a retry starts with; undefined for the default of the daemon. */
export function startFiles(parsed: Parsed): StartFiles | undefined {
  const text = textOf(parsed, 'files');
  const found = CHOICES.find((each) => each === text);
  if (found || text === undefined) return found;
  throw new BatonError('usage', `--files must be ${CHOICES.join(', ')}, not "${text}".`);
}
