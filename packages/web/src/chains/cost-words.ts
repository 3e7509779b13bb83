import type { Usage } from '@baton/protocol';
import { cost } from '../text/amounts.ts';

/** What was spent; nothing when it is not known. */
export function costWords(usage: Usage | undefined): string | undefined {
  if (!usage?.costUsd) return undefined;
  return cost(usage.costUsd, { isEstimated: usage.costEstimated ?? false });
}
