import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import type { SessionRow } from '@baton/store';
import type { PrivateRepository, WorkspaceHome } from '@baton/workspaces';

export type SessionFiles = {
  repository: PrivateRepository;
  workspace: WorkspaceRecord;
};

/** Opens the files of a session, which must be on this machine. */
export async function sessionFiles(
  home: WorkspaceHome,
  { workspace: json }: Pick<SessionRow, 'workspace'>,
): Promise<SessionFiles> {
  const workspace = json === null ? null : (JSON.parse(json) as WorkspaceRecord);
  if (!workspace) {
    throw new BatonError('conflict', 'The session has no files yet: no task has started.', {
      hint: 'Changes are compared from the start of the first task on.',
    });
  }
  const { host, path } = workspace;
  if (host !== hostname()) {
    throw new BatonError('conflict', `The files of the session are on ${host}.`, {
      hint: `Run the command on ${host}.`,
    });
  }
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BatonError('cwd_missing', `The folder of the session is gone: ${path}`, {
      hint: 'A removed workspace can be restored for 30 days: "baton workspaces restore".',
    });
  }
  return { repository: await home.open(path), workspace };
}
