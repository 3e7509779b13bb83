import type { WorkspaceRecord } from '@baton/protocol';
import type { ListedWorkspace } from '@baton/protocol/wire';
import { publicRecord, type StoredWorkspace } from '@baton/workspaces';
import { isOwner, type Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { isHere } from '../../workspaces/session-files.ts';

const DAY_MS = 24 * 3600 * 1000;

/**
 * Lists the worktrees of this machine, and those that open sessions reported from others; the last used first. Worktrees
 * of no session of this daemon, such as those of `baton run`, are shown to owners only.
 */
export async function listWorkspaces(
  { store, operations: toolsFor }: Pick<DaemonContext, 'store' | 'operations'>,
  { staleDays, principal }: { staleDays: number | undefined; principal: Principal },
): Promise<ListedWorkspace[]> {
  const operations = await toolsFor({});
  const here = await operations.records();
  const known = new Set(here.map(({ workspace_id }) => workspace_id));
  const elsewhere = (await store.openSessions()).flatMap(({ workspace }) => {
    const record = workspace === null ? undefined : (JSON.parse(workspace) as WorkspaceRecord);
    const isOther = record?.kind === 'worktree' && !isHere(record);
    return isOther && !known.has(record.workspace_id) ? [record] : [];
  });
  const before = staleDays === undefined ? undefined : store.now() - staleDays * DAY_MS;
  const wanted = (await Promise.all([...here, ...elsewhere].map(withTitle)))
    .filter(({ title }) => title !== null || isOwner(principal))
    .filter(({ record }) => before === undefined || Date.parse(record.used_at) < before)
    .sort((one, other) => other.record.used_at.localeCompare(one.record.used_at));
  const ids = wanted
    .filter(({ record }) => isHere(record) && record.state !== 'removed')
    .map(({ record }) => record.workspace_id);
  const read = ids.length === 0 ? [] : await operations.list({ ids, now: store.now() });
  const reports = new Map(read.map((each) => [each.record.workspace_id, each]));
  return wanted.map(({ record, title }) => {
    const report = reports.get(record.workspace_id);
    return {
      ...publicRecord(report?.record ?? record),
      session_title: title,
      status: report?.status ?? null,
    };
  });

  async function withTitle(record: StoredWorkspace) {
    const { session_id: id } = record;
    const session = id === null ? undefined : await store.records.sessions.get(id);
    return { record, title: session?.title ?? null };
  }
}
