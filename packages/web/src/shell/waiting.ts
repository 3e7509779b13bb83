import { usePending, usePendingWords } from '../data/pending.ts';
import { usePendingApprovals } from '../data/pending-approvals.ts';

/** How many things in a view wait for a person, and what they wait for. */
export function useWaiting(path: string): { count: number; words: string } {
  const requests = usePending();
  const words = usePendingWords();
  const approvals = usePendingApprovals();
  if (path === '/inbox') return { count: requests, words };
  if (path === '/chains') return { count: approvals, words: 'awaiting approval' };
  return { count: 0, words: '' };
}
