import { BatonError, type WorkspaceRequest } from '@baton/protocol/values';
import { isSet, type OptionTable, type Parsed, textOf } from './command.ts';

/** The options that choose the folder of an agent's work. */
export const WORKSPACE_OPTIONS: OptionTable = {
  worktree: {
    type: 'string',
    isValueOptional: true,
    value: 'NAME',
    about: 'work in a new Git worktree, on a branch of its own',
  },
  base: { type: 'string', value: 'REF', about: 'branch or commit that the worktree starts from' },
  'with-changes': {
    type: 'boolean',
    about: 'take uncommitted changes along into the worktree',
  },
  'in-place': { type: 'boolean', about: 'work in the folder itself (default), without asking' },
};

/** The workspace that flags ask for; undefined if none does. */
export function workspaceOptions(parsed: Parsed): WorkspaceRequest | undefined {
  const name = textOf(parsed, 'worktree');
  const base = textOf(parsed, 'base');
  const withChanges = isSet(parsed, 'with-changes');
  if (name === undefined) {
    if (base === undefined && !withChanges) {
      return isSet(parsed, 'in-place') ? { kind: 'in_place' } : undefined;
    }
    const flag = base === undefined ? '--with-changes' : '--base';
    throw new BatonError('usage', `${flag} requires --worktree.`);
  }
  if (isSet(parsed, 'in-place')) {
    throw new BatonError('usage', '--worktree and --in-place cannot be combined.');
  }
  return {
    kind: 'worktree',
    ...(name === '' ? {} : { name }),
    ...(base === undefined ? {} : { base }),
    ...(withChanges ? { with_changes: true } : {}),
  };
}
