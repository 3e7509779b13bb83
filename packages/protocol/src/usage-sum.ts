import type { Usage } from './usage.ts';

const SUMMED = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
  'totalTokens',
  'costUsd',
] as const;

/** Adds what one part of a run consumed to another; the context of the later part is kept. */
export function addUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (!earlier) return later;
  if (!later) return earlier;
  const sum: Usage = { ...earlier, ...known(later) };
  for (const key of SUMMED) {
    if (earlier[key] === undefined && later[key] === undefined) continue;
    sum[key] = (earlier[key] ?? 0) + (later[key] ?? 0);
  }
  if (earlier.costEstimated || later.costEstimated) sum.costEstimated = true;
  return sum;
}

/** A field that is there without a value must not hide one that has it. */
function known(usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}
