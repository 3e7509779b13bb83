import type { Confine } from '@baton/process/isolation/confine';
import { confinement } from '@baton/process/isolation/isolation';
import { BatonError } from '@baton/protocol';
import type { DaemonContext } from '../../context.ts';
import { readIsolation } from '../../settings/read-isolation.ts';

type Context = Pick<DaemonContext, 'baton' | 'store' | 'workspaces' | 'folder'>;

/** The wrapper that runs scripts of a workspace in the isolation of its agents; undefined if agents are trusted. */
export async function scriptConfinement(
  { baton, store, workspaces, folder }: Context,
  workspaceId: string,
): Promise<Confine | undefined> {
  const isolation = await readIsolation(store, folder);
  if (isolation.mode === 'none') return undefined;
  if (isolation.mode === 'user') {
    throw new BatonError(
      'conflict',
      'Scripts cannot be started here: agents have an account of their own.',
      {
        hint: 'Run the script as that account, in the folder of the worktree.',
      },
    );
  }
  const { session_id: id } = workspaces.files.get(workspaceId);
  const session = id === null ? undefined : await store.records.sessions.get(id);
  return confinement(isolation, { backends: baton.backends(), backend: session?.backend ?? '' });
}
