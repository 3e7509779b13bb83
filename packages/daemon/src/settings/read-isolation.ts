import type { Isolation } from '@baton/process/isolation/isolation';
import type { Store } from '@baton/store';
import { readSettings } from './read-settings.ts';

/** Reads the isolation of agents; the folder is that of the daemon, which no agent may see. */
export async function readIsolation(store: Store, folder: string): Promise<Isolation> {
  const settings = await readSettings(store);
  return {
    mode: settings['executors.isolation'],
    network: settings['executors.isolation_network'],
    unix_user: settings['executors.unix_user'],
    hidden: [folder],
  };
}
