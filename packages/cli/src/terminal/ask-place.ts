import type { WorkspaceRequest } from '@baton/protocol/values';
import { askChoice, ENTER } from './ask-choice.ts';

/** Asks the user at the terminal where a session works beside others; Enter chooses a new worktree. */
export async function askPlace(words: string): Promise<WorkspaceRequest | 'interrupted'> {
  const key = await askChoice(`${words}. Where should the agent work?`, [
    ['w', 'in a new worktree (Enter)'],
    ['i', 'in this folder'],
  ]);
  if (key === 'i') return { kind: 'in_place' };
  return key === 'w' || key === ENTER ? { kind: 'worktree' } : 'interrupted';
}
