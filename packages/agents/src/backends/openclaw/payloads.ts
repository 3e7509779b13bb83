import { array, count, type Json, number, object, string } from '@baton/config/values/json';
import type { Usage } from '@baton/protocol/values';

/** Output of a run. */
export type RunPayloads = {
  /** All texts, with a blank line between two. */
  text: string;
  /** The texts of the payloads that report an error. */
  errors: readonly string[];
  hasError: boolean;
  /** The addresses of pictures and other media. */
  media: readonly string[];
};

/** Reads the payloads of a run's result. */
export function readPayloads(result: unknown): RunPayloads {
  const payloads = array(object(result).payloads).map(object);
  const failed = payloads.filter(({ isError }) => isError === true);
  return {
    text: textsOf(payloads).join('\n\n'),
    errors: textsOf(failed),
    hasError: failed.length > 0,
    media: [...new Set(payloads.flatMap(mediaOf))],
  };
}

function textsOf(payloads: readonly Json[]): string[] {
  return payloads.flatMap(({ text }) => (string(text)?.trim() ? [String(text)] : []));
}

/** With several media, `mediaUrl` is null. */
function mediaOf({ mediaUrl, mediaUrls }: Json): string[] {
  return [mediaUrl, ...array(mediaUrls)].flatMap((url) => string(url) || []);
}

/** Returns the usage of all model calls of a run. */
export function usageOf(result: unknown): Usage | undefined {
  const { usage, costUsd } = object(object(object(result).meta).agentMeta);
  const { input, output, cacheRead, cacheWrite, total, cost } = object(usage);
  if (count(input) === undefined && count(output) === undefined) return undefined;
  const cached = count(cacheRead) ?? 0;
  const written = count(cacheWrite) ?? 0;
  const inputTokens = (count(input) ?? 0) + cached + written;
  const outputTokens = count(output) ?? 0;
  const spent = number(costUsd) ?? number(object(cost).total);
  return {
    inputTokens,
    outputTokens,
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
    totalTokens: count(total) ?? inputTokens + outputTokens,
    ...(spent !== undefined && spent >= 0 ? { costUsd: spent } : {}),
  };
}
