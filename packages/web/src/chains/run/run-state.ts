import type { ChainRunRecord } from '@baton/client';
import type { ChainState, ChainStatus, StepState, StepStatus } from '@baton/protocol';
import type { StepNode } from '../graph/step-tree.ts';

/** The status of a run: events are newer than the record, but only the record shows that no process runs it. */
export function statusOf(
  { status, completed_at }: Pick<ChainRunRecord, 'status' | 'completed_at'>,
  chain: ChainState | undefined,
): ChainStatus {
  if (!chain) return status;
  const isInterrupted = status === 'interrupted' && completed_at === null;
  return isInterrupted && chain.outcome === undefined ? status : chain.status;
}

/** The steps that await approval. */
export function pendingApprovals({ steps }: ChainState): StepState[] {
  return [...steps.values()].filter(({ status }) => status === 'awaiting_approval');
}

/** Returns the running time of a run. */
export function activeTime({ activeMs, runningSince }: ChainState, now: number): number {
  return activeMs + (runningSince === undefined ? 0 : Math.max(0, now - runningSince));
}

/** Counts the done, skipped and failed steps of a chain; nested steps do not count. */
export function countByStatus(nodes: readonly StepNode[]) {
  const count = (...statuses: StepStatus[]) =>
    nodes.filter(({ state }) => state && statuses.includes(state.status)).length;
  return { done: count('done'), skipped: count('skipped'), failed: count('failed', 'timed_out') };
}
