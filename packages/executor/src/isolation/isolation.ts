import { join } from 'node:path';
import { backendEntries, type Confine, homeFolder } from '@baton/runtime';
import { bubblewrap } from './bubblewrap.ts';
import { asUnixUser } from './unix-user.ts';

/** How agents are kept away from what is not theirs. */
export type Isolation = {
  mode: 'none' | 'bubblewrap' | 'user';
  /** Whether an agent in a sandbox may use the network, which most need to reach their provider. */
  network: boolean;
  unix_user: string | null;
  /** What belongs to the daemon. */
  hidden: readonly string[];
};

/** Makes what confines the agent of a task, which may read a folder beside its own; nothing where agents are trusted. */
export async function confinement(
  { mode, network, unix_user, hidden }: Isolation,
  backend: string,
  readable?: string,
): Promise<Confine | undefined> {
  if (mode === 'none') return undefined;
  if (mode === 'user') return asUnixUser(unix_user);
  const all = await Promise.all(
    backendEntries().map(async ({ id, ownPaths }) => ({
      id,
      paths: (await ownPaths?.(process.env)) ?? [],
    })),
  );
  const others = all.filter(({ id }) => id !== backend).flatMap(({ paths }) => paths);
  return bubblewrap({
    network,
    readable,
    writable: all.find(({ id }) => id === backend)?.paths ?? [],
    hidden: [...hidden, join(homeFolder(), '.baton/credentials.json'), ...others],
  });
}
