import { BatonError, type WorkspaceRecord } from '@baton/protocol';
import type { Store } from '@baton/store';
import { runningTask } from './session-files.ts';

/** Rejects with `conflict` while an agent works in a folder: changes of its files would mix with its own. */
export async function refuseWhileWorking(
  store: Store,
  { host, path }: Pick<WorkspaceRecord, 'host' | 'path'>,
): Promise<void> {
  const open = (await store.openSessions()).filter(({ workspace: json }) => {
    const workspace = json === null ? undefined : (JSON.parse(json) as WorkspaceRecord);
    return workspace?.host === host && workspace.path === path;
  });
  for (const { session_id } of open) {
    if ((await runningTask(store, session_id)) === undefined) continue;
    throw new BatonError('conflict', 'An agent is still working in these files.', {
      hint: 'Stop its task first, and try again.',
    });
  }
}
