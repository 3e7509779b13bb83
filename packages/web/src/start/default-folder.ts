import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';

/** The folder for users without a project; created with the first task. */
const PLAYGROUND = 'baton-playground';
/** Number of recent folders that are checked. */
const MAX_RECENT = 5;

/** The default folder of a new task: the last one used that still exists, or else the playground. */
export async function defaultFolder(
  client: BatonClient,
  recent: readonly string[],
): Promise<string> {
  for (const path of recent.slice(0, MAX_RECENT)) {
    if (isPlayground(path) || (await isThere(client, path))) return path;
  }
  return `${(await client.folders.find()).path}/${PLAYGROUND}`;
}

/** True for the playground folder, which is created if it is missing. */
export function isPlayground(path: string): boolean {
  return path.endsWith(`/${PLAYGROUND}`);
}

async function isThere(client: BatonClient, path: string): Promise<boolean> {
  try {
    await client.folders.find({ path });
    return true;
  } catch (error) {
    if (isAboutFolder(error)) return false;
    throw error;
  }
}

/** True if an error concerns the folder itself; other errors mean that the check failed. */
export function isAboutFolder(error: unknown): error is BatonError {
  return BatonError.is(error) && ['not_found', 'usage', 'forbidden'].includes(error.code);
}
