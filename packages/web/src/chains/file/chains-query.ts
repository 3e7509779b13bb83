import type { BatonClient, ChainsFileRecord } from '@baton/client';
import { useRecords } from '../../data/queries.ts';

/** Nothing tells of a changed file. */
const EVERY_MS = 5000;

/** The chains files of a folder, or of all folders that the daemon knows. */
export function useChainsFiles(folder = '') {
  return useRecords(['chains', folder], (client) => find(client, folder), {
    everyMs: EVERY_MS,
    onReturn: true,
  });
}

/** One chains file, or null if it is gone. */
export function useChainsFile(path: string) {
  return useRecords(
    ['chains', 'file', path],
    async (client) => (await client.chains.find({ file: path }))[0] ?? null,
    { everyMs: EVERY_MS, onReturn: true },
  );
}

async function find(client: BatonClient, folder: string): Promise<ChainsFileRecord[]> {
  if (folder === '') return client.chains.find();
  // It knows what "~" is, and says what is wrong with a path.
  const { path } = await client.folders.find({ path: folder });
  return client.chains.find({ cwd: path });
}
