import type { BatonClient, RemoteRun } from '@baton/client';
import { oneLine } from '../view/style.ts';

const WIDTH = 200;

/** Describes by whom and why a run was stopped from elsewhere; undefined if it was not stopped, or from here. */
export async function stopWords(client: BatonClient, run: RemoteRun): Promise<string | undefined> {
  const { outcome, error } = await run.result;
  if (outcome !== 'cancelled' || run.isCancelled) return undefined;
  const { by, reason } = run.stopOrder ?? { reason: error?.message };
  const who = by === undefined ? '' : ` by ${await nameOf(client, by)}`;
  return `Stopped${who}${reason ? `: ${oneLine(reason, WIDTH)}` : '.'}`;
}

/** Returns the name of a user; the daemon may be unreachable by now. */
async function nameOf(client: BatonClient, userId: string): Promise<string> {
  const user = await client.users.get(userId).catch(() => undefined);
  return user ? oneLine(user.name, WIDTH) : 'somebody';
}
