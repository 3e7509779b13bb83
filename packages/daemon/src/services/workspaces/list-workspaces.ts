import { hostname } from 'node:os';
import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import type { ListedWorkspace } from '@baton/protocol/wire';
import { publicRecord, type StoredWorkspace, workspaceStatus } from '@baton/workspaces';
import type { DaemonContext } from '../../context.ts';

const DAY_MS = 24 * 3600 * 1000;

/** Lists the worktrees of this machine, and those that open sessions reported from others; the last used first. */
export async function listWorkspaces(
  { store, workspaces: home }: Pick<DaemonContext, 'store' | 'workspaces'>,
  staleDays: number | undefined,
): Promise<ListedWorkspace[]> {
  const here = home.files.list();
  const known = new Set(here.map(({ workspace_id }) => workspace_id));
  const elsewhere = (await store.openSessions()).flatMap(({ workspace }) => {
    const record = workspace === null ? undefined : (JSON.parse(workspace) as WorkspaceRecord);
    const isOther = record?.kind === 'worktree' && record.host !== hostname();
    return isOther && !known.has(record.workspace_id) ? [record] : [];
  });
  const before = staleDays === undefined ? undefined : store.now() - staleDays * DAY_MS;
  const wanted = [...here, ...elsewhere]
    .filter(({ used_at }) => before === undefined || Date.parse(used_at) < before)
    .sort((one, other) => other.used_at.localeCompare(one.used_at));
  return Promise.all(wanted.map(shown));

  async function shown(record: StoredWorkspace): Promise<ListedWorkspace> {
    const { session_id: id } = record;
    const session = id === null ? undefined : await store.records.sessions.get(id);
    const isReadable = record.host === hostname() && record.state !== 'removed';
    const { state, status, problem } = isReadable
      ? await statusOf(record)
      : { state: record.state, status: null, problem: record.problem };
    const shown = publicRecord(record);
    return { ...shown, state, problem, session_title: session?.title ?? null, status };
  }

  async function statusOf(record: StoredWorkspace) {
    try {
      const found = await workspaceStatus(home, record, { now: store.now() });
      const { ahead, behind, files, additions, deletions, bytes, losses } = found;
      const unsaved = losses.map(({ text }) => text);
      return {
        state: found.record.state,
        status: { ahead, behind, files, additions, deletions, bytes, unsaved },
        problem: record.problem,
      };
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      return { state: record.state, status: null, problem: error.message };
    }
  }
}
