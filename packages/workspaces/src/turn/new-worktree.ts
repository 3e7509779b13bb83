import type { WorkspaceSettings } from '../project/settings-schema.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import {
  type CreatedWorktree,
  type CreateWorktreeOptions,
  createWorktree,
} from '../worktree/create-worktree.ts';

type NewWorktreeOptions = Pick<
  CreateWorktreeOptions,
  'id' | 'source' | 'name' | 'base' | 'from' | 'withChanges' | 'sessionId' | 'createdBy' | 'signal'
> & {
  home: WorkspaceHome;
  settings: WorkspaceSettings;
};

/** Makes a worktree with the settings of its project. The first turn in it runs the setup. */
export function newWorktree({
  home,
  settings,
  base,
  ...options
}: NewWorktreeOptions): Promise<CreatedWorktree> {
  return createWorktree({
    git: home.git,
    files: home.files,
    folder: settings.folder ?? home.folder,
    branchTemplate: settings.branchTemplate,
    base: base ?? settings.base,
    ...options,
  });
}
