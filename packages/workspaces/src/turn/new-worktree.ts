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
export async function newWorktree({
  home,
  settings,
  base,
  ...options
}: NewWorktreeOptions): Promise<CreatedWorktree> {
  const { record, notices } = await createWorktree({
    git: home.git,
    files: home.files,
    folder: settings.folder ?? home.folder,
    branchTemplate: settings.branchTemplate,
    base: base ?? settings.base,
    ...options,
  });
  // Until its setup has ended well, it is not ready for an agent.
  return { record: home.files.change(record.workspace_id, { state: 'setting_up' }), notices };
}
