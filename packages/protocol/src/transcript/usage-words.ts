import type { Usage } from '../usage.ts';

/** Tokens and cost of a run, in a few words. */
export function usageWords(usage: Usage | undefined): string[] {
  if (!usage) return [];
  const words: string[] = [];
  if (usage.totalTokens) words.push(`${usage.totalTokens.toLocaleString('en-US')} tokens`);
  if (usage.costUsd) words.push(`$${usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2)}`);
  return words;
}
