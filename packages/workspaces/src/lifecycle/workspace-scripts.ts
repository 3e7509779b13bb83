import { statSync } from 'node:fs';
import { BatonError } from '@baton/protocol/values';
import type { WorkspaceSettings } from '../project/settings-schema.ts';
import {
  loadWorkspaceSettings,
  type UserWorkspaceSettings,
} from '../project/workspace-settings.ts';
import type { StoredWorkspace, WorkspaceTools } from '../worktree/workspace-files.ts';

export type ScriptSettings = {
  settings: WorkspaceSettings;
  /** The project's file if its folder is not trusted, so that its settings are not used. */
  untrusted: string | undefined;
};

/** Settings with the scripts of a workspace: from the user's own folder, because the agent writes the worktree. */
export async function scriptSettings(
  record: StoredWorkspace,
  user?: UserWorkspaceSettings,
): Promise<ScriptSettings> {
  const folder = record.repository ?? record.path;
  if (!isFolder(folder)) return { settings: {}, untrusted: undefined };
  const { settings, untrusted } = await loadWorkspaceSettings({ folder, user });
  return { settings, untrusted };
}

/** A worktree whose folder is there; throws `conflict` or `cwd_missing` for any other workspace. */
export function presentWorktree(
  { files }: Pick<WorkspaceTools, 'files'>,
  id: string,
): StoredWorkspace {
  const record = files.get(id);
  if (record.kind !== 'worktree') {
    throw new BatonError('conflict', `${record.path} is not a worktree.`);
  }
  if (record.state === 'removed') {
    throw new BatonError('conflict', `The worktree ${record.path} is removed.`, {
      hint: `Restore it with "baton workspaces restore ${id}".`,
    });
  }
  if (isFolder(record.path)) return record;
  throw new BatonError('cwd_missing', `The folder of the worktree is gone: ${record.path}`, {
    hint: 'Run "baton workspaces" to update the list of worktrees.',
  });
}

/** The error for a script that the settings of the project do not have. */
export function noScript(
  name: 'setup' | 'devServer',
  record: StoredWorkspace,
  { untrusted }: ScriptSettings,
): BatonError {
  const place = record.repository ?? record.path;
  if (untrusted !== undefined) {
    return new BatonError(
      'config_invalid',
      `The scripts in ${untrusted} are not used, because the folder is not trusted.`,
      { hint: `Trust it with "baton trust ${place}".` },
    );
  }
  return new BatonError('config_invalid', `${place} has no script "${name}".`, {
    hint: `Add "${name}" to "workspace" in its baton.json; docs/workspaces.md has an example.`,
  });
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
