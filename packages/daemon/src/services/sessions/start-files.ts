import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import type { StartFiles } from '@baton/protocol/wire';
import type { SessionRow } from '@baton/store';
import { publicRecord, trustLike, userWorkspaceSettings } from '@baton/workspaces';
import type { DaemonContext } from '../../context.ts';
import { readIsolation } from '../../settings/read-isolation.ts';
import { noteRestored } from '../../workspaces/note-restored.ts';
import { refuseWhileWorking } from '../../workspaces/refuse-while-working.ts';
import { workspaceHere } from '../../workspaces/session-files.ts';

type Context = Pick<DaemonContext, 'store' | 'operations' | 'folder' | 'runsTasks'>;

export type StartOptions = {
  /** The session that is copied. */
  session: SessionRow;
  /** The turn whose files are meant. */
  taskId: string | undefined;
  /** Undefined if the caller has not chosen: then a turn without a checkpoint is no error. */
  files: StartFiles | undefined;
  by: string | undefined;
};

/** The id of a copy of a session, and its workspace if that is a new one. */
type StartPlace = {
  newId: string;
  workspace?: WorkspaceRecord | undefined;
  /** Tells the copy about restored files. */
  note?: ((sessionId: string) => Promise<void>) | undefined;
};

/** The files that a fork starts with if its caller does not choose: agents in worktrees must not meet. */
function defaultFiles({ runsTasks }: Context, { workspace: json }: SessionRow): StartFiles {
  const workspace = json === null ? undefined : (JSON.parse(json) as WorkspaceRecord);
  if (!runsTasks || workspace?.kind !== 'worktree' || workspace.host !== hostname()) {
    return 'present';
  }
  const isThere = statSync(workspace.path, { throwIfNoEntry: false })?.isDirectory();
  return isThere ? 'worktree' : 'present';
}

/** Prepares the files that a copy of a session starts with. */
export async function startPlace(context: Context, options: StartOptions): Promise<StartPlace> {
  const newId = randomUUID();
  const files = options.files ?? defaultFiles(context, options.session);
  if (files === 'restored') return { newId, note: await restored(context, options) };
  if (files === 'worktree') {
    return { newId, workspace: await inNewWorktree(context, options, newId) };
  }
  return { newId };
}

async function restored(
  { store, operations }: Context,
  { session, taskId }: StartOptions,
): Promise<StartPlace['note']> {
  if (taskId === undefined) {
    throw new BatonError('usage', 'Files can only be restored to the start of a turn.', {
      hint: 'Pass the task, or choose the files "present" or "worktree".',
    });
  }
  const workspace = workspaceHere(session);
  await refuseWhileWorking(store, workspace);
  const { session_id: sessionId } = session;
  const { path, workspace_id: id } = workspace;
  const { sessions, undo } = await operations({ folder: path });
  const forks = await sharing(store, id, await sessions({ path }));
  const { target, files, total, kept } = await undo({ path, sessionId, forks, taskId });
  const facts = { number: target, files, total, kept };
  await noteRestored(store, sessionId, facts);
  return (id) => noteRestored(store, id, facts);
}

/** Sessions that worked in the same workspace: forks and retries of one session. */
async function sharing(
  store: Context['store'],
  workspaceId: string,
  candidates: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const sessionId of candidates) {
    const { workspace = null } = (await store.records.sessions.get(sessionId)) ?? {};
    const record = workspace === null ? undefined : (JSON.parse(workspace) as WorkspaceRecord);
    if (record?.workspace_id === workspaceId) found.push(sessionId);
  }
  return found;
}

async function inNewWorktree(
  { store, operations, folder, runsTasks }: Context,
  { session, taskId, files, by }: StartOptions,
  newSessionId: string,
): Promise<WorkspaceRecord> {
  const workspace = workspaceHere(session);
  const { path, cwd, repository } = workspace;
  if (!runsTasks) {
    throw new BatonError('conflict', `No worktree can be made of ${path}.`, {
      hint: 'This daemon runs no tasks: fork with the present files.',
    });
  }
  const repositories = repository === null ? [] : [repository];
  const { fork } = await operations({ folder: path, repositories });
  const record = await fork({
    workspace,
    sessionId: session.session_id,
    taskId,
    needsTurn: files !== undefined,
    newSessionId,
    name: session.title,
    createdBy: by,
    user: userWorkspaceSettings(),
  });
  // What comes out of an isolation must not make a folder trusted.
  const { mode } = await readIsolation(store, folder);
  if (mode === 'none') trustLike(cwd, record.path);
  return publicRecord(record);
}
