import { count, type Json } from '@baton/config/values/json';
import type { Usage } from '@baton/protocol/values';

/**
 * The scope of the token counts in the answer to a prompt, which the protocol leaves open: this prompt, the session so
 * far, or only a part of the prompt. An agent without one is judged by its counts.
 */
export type UsageScope = 'prompt' | 'session' | 'part';

/** Turns the counts in the answers to prompts into the usage of each prompt; nothing where they could mean two things. */
export class PromptUsage {
  #scope: UsageScope | undefined;
  /** The last counts; those of a new session begin at zero. */
  #last: Counts | undefined;
  #isFirst = true;

  constructor(scope: UsageScope | undefined, isNew: boolean) {
    this.#scope = scope;
    this.#last = isNew ? NOTHING : undefined;
  }

  read(usage: Json): Usage | undefined {
    const counts = readCounts(usage);
    if (!counts) return undefined;
    const last = this.#last;
    const isFirst = this.#isFirst;
    this.#last = counts;
    this.#isFirst = false;
    // Counts of a session never shrink.
    if (last && NAMES.some((name) => counts[name] < last[name])) this.#scope ??= 'prompt';
    if (this.#scope === 'prompt') return usageOf(counts);
    if (this.#scope === 'part' || !last) return undefined;
    // The first counts of a new session are both. Later ones that grew may be either.
    if (this.#scope === undefined && !isFirst) return undefined;
    return usageOf(mapCounts((name) => Math.max(counts[name] - last[name], 0)));
  }
}

const NAMES = ['input', 'cacheRead', 'cacheWrite', 'output', 'thought'] as const;
type Counts = Readonly<Record<(typeof NAMES)[number], number>>;

const NOTHING: Counts = mapCounts(() => 0);

function mapCounts(value: (name: (typeof NAMES)[number]) => number): Counts {
  return Object.fromEntries(NAMES.map((name) => [name, value(name)])) as Counts;
}

/**
 * Reads the counts so that `input` includes what was read from a cache and written to it, and `output` the thoughts.
 * Agents differ in what they include; only the sum, which the protocol requires, shows it.
 */
function readCounts(usage: Json): Counts | undefined {
  const told = { input: count(usage.inputTokens), output: count(usage.outputTokens) };
  if (told.input === undefined && told.output === undefined) return undefined;
  const cacheRead = count(usage.cachedReadTokens) ?? 0;
  const cacheWrite = count(usage.cachedWriteTokens) ?? 0;
  const thought = count(usage.thoughtTokens) ?? 0;
  const total = count(usage.totalTokens);
  const readings = [0, cacheRead, cacheWrite, cacheRead + cacheWrite].flatMap((beside) =>
    [0, thought].map((thoughtBeside) => ({
      input: (told.input ?? 0) + beside,
      output: (told.output ?? 0) + thoughtBeside,
    })),
  );
  const fitting = readings.filter(
    ({ input, output }) =>
      (total === undefined || input + output === total) &&
      // What is included cannot be more than the whole.
      input >= cacheRead + cacheWrite &&
      output >= thought,
  );
  const [reading, ...others] = fitting;
  const isSame = ({ input, output }: typeof told) =>
    input === reading?.input && output === reading?.output;
  if (!reading || !others.every(isSame)) return undefined;
  return { ...reading, cacheRead, cacheWrite, thought };
}

function usageOf({ input, output, cacheRead, cacheWrite, thought }: Counts): Usage {
  return {
    inputTokens: input,
    cachedInputTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    outputTokens: output,
    reasoningTokens: thought,
    totalTokens: input + output,
  };
}
