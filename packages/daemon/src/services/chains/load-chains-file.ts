import { dirname, join } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { type ReadInsideOptions, readFileInside } from '@baton/config/paths/read-inside';
import { type LoadedChains, loadChains } from '@baton/orchestra';
import { unixAccount } from '@baton/process';
import type { DaemonContext } from '../../context.ts';
import { readSettings } from '../../settings/read-settings.ts';

type LoadContext = Pick<DaemonContext, 'baton' | 'store' | 'folder'>;

/** Reads a chains file for a user. No variables of the daemon are inserted, and no files of the daemon are read. */
export async function loadChainsFile(context: LoadContext, file: string): Promise<LoadedChains> {
  const confined = await unreadable(context);
  return loadChains({ file, cwd: dirname(file), env: {}, confined });
}

/** True for a file that exists and that the daemon reads for its users. */
export async function isReadable(context: LoadContext, file: string): Promise<boolean> {
  const confined = await unreadable(context);
  try {
    readFileInside(dirname(file), file, confined);
    return true;
  } catch {
    return false;
  }
}

/** Returns the paths that the agent of a session could not read either. */
async function unreadable({ baton, store, folder }: LoadContext): Promise<ReadInsideOptions> {
  const own = [folder, join(homeFolder(), '.baton')];
  const settings = await readSettings(store);
  const isolation = settings['executors.isolation'];
  if (isolation === 'none') return { hidden: own };
  const ofAgents = baton.backends().map(({ ownPaths }) => ownPaths?.(process.env) ?? []);
  return {
    hidden: [...own, ...(await Promise.all(ofAgents)).flat()],
    reader: isolation === 'user' ? unixAccount(settings['executors.unix_user']) : undefined,
  };
}
