import { usePending, usePendingWords } from '../data/pending.ts';
import { usePendingApprovals } from '../data/pending-approvals.ts';

/** Number of items in a view that need input, and its label. */
export function useWaiting(path: string): { count: number; words: string } {
  const requests = usePending();
  const words = usePendingWords();
  const approvals = usePendingApprovals();
  if (path === '/inbox') return { count: requests, words };
  if (path === '/chains') return { count: approvals, words: 'awaiting approval' };
  return { count: 0, words: '' };
}
