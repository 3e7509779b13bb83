import { join, resolve } from 'node:path';
import { BatonError } from '@baton/protocol';
import { backendEntries, type Confine, followed, homeFolder, isInside } from '@baton/runtime';
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
  // Executors are started from here, outside of any sandbox.
  const programs = [import.meta.dirname, process.execPath];
  const own = [...hidden, join(homeFolder(), '.baton'), ...programs];
  const guarded =
    (confine: Confine): Confine =>
    (command) => {
      checkFolder(command.cwd, own);
      return confine(command);
    };
  if (mode === 'user') return guarded(asUnixUser(unix_user));
  const all = await Promise.all(
    backendEntries().map(async ({ id, ownPaths }) => ({
      id,
      paths: (await ownPaths?.(process.env)) ?? [],
    })),
  );
  const others = all.filter(({ id }) => id !== backend).flatMap(({ paths }) => paths);
  const sandbox = bubblewrap({
    network,
    readable,
    writable: all.find(({ id }) => id === backend)?.paths ?? [],
    hidden: [...hidden, join(homeFolder(), '.baton/credentials.json'), ...others],
  });
  return guarded(sandbox);
}

/** An agent may write its folder: that must be neither the whole machine nor hold what Baton itself keeps. */
function checkFolder(folder: string, own: readonly string[]): void {
  const isRoot = followed('/', resolve(folder)) === '/';
  const found = own.find((path) => isInside(folder, path, { orEqual: true, inDoubt: true }));
  if (!isRoot && found === undefined) return;
  const why = isRoot ? 'it is the whole machine' : `it contains what belongs to Baton, ${found}`;
  throw new BatonError('usage', `A confined agent cannot work in ${folder}: ${why}.`, {
    hint: 'Choose another folder for the session, such as that of a project.',
  });
}
