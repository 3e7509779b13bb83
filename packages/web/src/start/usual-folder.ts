import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';

/** Where somebody without a project begins; it is made when the first task is given. */
const PLAYGROUND = 'baton-playground';
/** Of the folders of before, so many are looked for. */
const MOST = 5;

/** The folder that the next task probably is in: one of before that is still there, or else the one to play in. */
export async function usualFolder(client: BatonClient, recent: readonly string[]): Promise<string> {
  for (const path of recent.slice(0, MOST)) {
    if (isPlayground(path) || (await isThere(client, path))) return path;
  }
  return `${(await client.folders.find()).path}/${PLAYGROUND}`;
}

/** Whether a folder is the one to play in, which is made where it is not. */
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

/** Whether an error says that something is wrong with a folder, and not that nobody could look. */
export function isAboutFolder(error: unknown): error is BatonError {
  return BatonError.is(error) && ['not_found', 'usage', 'forbidden'].includes(error.code);
}
