import type { WorkspaceState } from '@baton/protocol/values';
import { FolderSessions } from './folder-sessions.ts';
import type { StoredWorkspace, WorkspaceFiles } from './workspace-files.ts';
import { isOwnerAlive } from './workspace-owner.ts';

/** States of a workspace that belong to a process. */
const BUSY: ReadonlySet<WorkspaceState> = new Set(['creating', 'setting_up', 'in_use']);

type Files = Pick<WorkspaceFiles, 'stateFolder'>;

/** True while a process makes or sets up a workspace, or an agent works in it. */
export function isInUse(files: Files, record: StoredWorkspace): boolean {
  if (new FolderSessions(files).in(record.path).length > 0) return true;
  return BUSY.has(record.state) && isOwnerAlive(record);
}

/** A workspace as it is once the process that used it is gone; the record itself if nothing was interrupted. */
export function withoutDeadUse(files: Files, record: StoredWorkspace): StoredWorkspace {
  if (record.pending || !BUSY.has(record.state) || isInUse(files, record)) return record;
  if (record.state === 'in_use') return { ...record, state: 'idle' };
  return { ...record, state: 'failed', problem: 'Its setup was interrupted.' };
}

/** Settles the record of a workspace whose process is gone; returns undefined if nothing was interrupted. */
export function settleUse(files: WorkspaceFiles, id: string): StoredWorkspace | undefined {
  const record = files.get(id);
  const { state, problem } = withoutDeadUse(files, record);
  return state === record.state ? undefined : files.change(id, { state, problem });
}

/** Settles all workspaces; for a program that sees processes which a confined one does not. */
export function settleUses(files: WorkspaceFiles): void {
  for (const { workspace_id: id } of files.list()) settleUse(files, id);
}
