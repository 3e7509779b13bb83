import type { ChangeSummary, WorkspaceRecord } from '@baton/protocol';
import type { Overlap } from '@baton/protocol/wire';
import type { SessionRow, Store } from '@baton/store';

/** Finds sessions with open tasks in the same repository that change files which this session changes too. */
export async function overlapsOf(store: Store, session: SessionRow): Promise<Overlap[]> {
  const own = filesOf(session);
  if (!own) return [];
  const others = await store.openSessions();
  return others.flatMap((other) => {
    if (other.session_id === session.session_id) return [];
    const theirs = filesOf(other);
    if (!theirs || theirs.place !== own.place) return [];
    const paths = theirs.paths.filter((path) => own.paths.includes(path));
    if (paths.length === 0) return [];
    return [{ session_id: other.session_id, title: other.title, paths }];
  });
}

function filesOf({ workspace, changes }: SessionRow) {
  if (workspace === null || changes === null) return undefined;
  const { repository, path, host } = JSON.parse(workspace) as WorkspaceRecord;
  const { paths } = JSON.parse(changes) as ChangeSummary;
  return { place: `${host}:${repository ?? path}`, paths };
}
