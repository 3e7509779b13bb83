import { statSync } from 'node:fs';
import { findRepository, isRepository } from '../git/repository.ts';
import { loadWorkspaceSettings, type WorkspaceSettingsInput } from './workspace-settings.ts';

/** The place of sessions in a folder that choose none: as its settings say, if the folder can have worktrees. */
export async function defaultKind(input: WorkspaceSettingsInput): Promise<'worktree' | 'in_place'> {
  const { folder } = input;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 'in_place';
  const { settings } = await loadWorkspaceSettings(input);
  const isWanted = settings.default === 'worktree' && isRepository(findRepository(folder));
  return isWanted ? 'worktree' : 'in_place';
}
