import type { Usage } from '../usage.ts';

/** Tokens and cost of a run, in a few words; a tilde marks an estimated cost. */
export function usageWords(usage: Usage | undefined): string[] {
  if (!usage) return [];
  const words: string[] = [];
  if (usage.totalTokens) words.push(`${usage.totalTokens.toLocaleString('en-US')} tokens`);
  const sign = usage.costEstimated ? '~$' : '$';
  if (usage.costUsd) words.push(sign + usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2));
  return words;
}
