import type { Usage } from '@baton/protocol';

/** A time as people say it: 340 ms, 12.3 s, 4 min 05 s. */
export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** Tokens and cost of a run, in a few words. */
export function usageWords(usage: Usage | undefined): string[] {
  if (!usage) return [];
  const words: string[] = [];
  if (usage.totalTokens) words.push(`${usage.totalTokens.toLocaleString('en-US')} tokens`);
  if (usage.costUsd) words.push(`$${usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2)}`);
  return words;
}
