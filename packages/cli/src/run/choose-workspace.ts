import { resolve } from 'node:path';
import type { WorkspaceRequest } from '@baton/protocol/values';

export type PlaceOptions = {
  cwd: string | undefined;
  /** True if a user is there to ask. */
  atTerminal: boolean;
  warn(text: string): void;
  /** Counts the other sessions that work in place in a folder; those of this machine by default. */
  countIn?: ((folder: string) => Promise<number>) | undefined;
};

/**
 * Returns the workspace of a new session. If another session works in place in the folder, it asks the user for a
 * worktree instead, or warns if nobody is there to ask or the user has already chosen.
 */
export async function chooseWorkspace(
  wanted: WorkspaceRequest | undefined,
  { cwd = '.', atTerminal, warn, countIn = countHere }: PlaceOptions,
): Promise<WorkspaceRequest | undefined | 'interrupted'> {
  if (wanted?.kind === 'worktree') return wanted;
  const folder = resolve(cwd);
  const count = await countIn(folder);
  if (count === 0) return wanted;
  const { defaultKind } = await import('@baton/workspaces');
  if (wanted === undefined && (await defaultKind({ folder })) === 'worktree') return wanted;
  const words =
    count === 1 ? 'Another session works in this folder' : `${count} sessions work in this folder`;
  if (!atTerminal || wanted !== undefined) {
    warn(`${words}. Use --worktree to keep their changes apart.`);
    return wanted;
  }
  const { askPlace } = await import('../terminal/ask-place.ts');
  return askPlace(words);
}

async function countHere(folder: string): Promise<number> {
  const { FolderSessions, WorkspaceHome } = await import('@baton/workspaces/turn');
  return new FolderSessions(new WorkspaceHome()).in(folder).length;
}
