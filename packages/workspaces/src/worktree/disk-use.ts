import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_ENTRIES = 500_000;
const MAX_MS = 20_000;
const BLOCK_BYTES = 512;

type DiskUseOptions = {
  maxEntries?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Size of a folder on the disk, links not followed; null if it has too many files to be counted in time. */
export async function diskUse(
  folder: string,
  { maxEntries = MAX_ENTRIES, signal }: DiskUseOptions = {},
): Promise<number | null> {
  const deadline = performance.now() + MAX_MS;
  /** Files with several names count once. */
  const seen = new Set<string>();
  const folders = [folder];
  let bytes = 0;
  let entries = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const names = await opendir(at).catch(() => undefined);
    if (!names) continue;
    for await (const { name } of names) {
      entries += 1;
      if (entries > maxEntries || performance.now() > deadline || signal?.aborted) return null;
      const path = join(at, name);
      const found = await lstat(path).catch(() => undefined);
      if (!found) continue;
      if (found.nlink > 1 && !found.isDirectory()) {
        const key = `${found.dev}:${found.ino}`;
        if (seen.has(key)) continue;
        seen.add(key);
      }
      bytes += found.blocks * BLOCK_BYTES;
      if (found.isDirectory()) folders.push(path);
    }
  }
  return bytes;
}
