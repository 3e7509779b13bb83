import type { Usage } from '@baton/protocol';
import { cost } from '../../text/amounts.ts';

/** Formats the cost; undefined if it is unknown. */
export function costWords(usage: Usage | undefined): string | undefined {
  if (!usage?.costUsd) return undefined;
  return cost(usage.costUsd, { isEstimated: usage.costEstimated ?? false });
}
