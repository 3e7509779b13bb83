import { resolve } from 'node:path';
import type { HostRequest } from '@baton/protocol/values';
import type { Turn } from '@baton/workspaces/turn';

type Placed = Pick<HostRequest, 'cwd' | 'env' | 'trusted'>;

/** The options of a run that depend on the folder of its turn. The decision about a new worktree is younger than the settings. */
export async function placedBy(
  turn: Pick<Turn, 'cwd' | 'env'>,
  { cwd = '.', env, trusted }: Placed,
): Promise<Placed> {
  const place = { cwd: turn.cwd, env: { ...turn.env, ...env } };
  if (trusted !== undefined || turn.cwd === resolve(cwd)) return place;
  const { trustOfTurn } = await import('@baton/workspaces');
  return { ...place, ...trustOfTurn(turn) };
}
