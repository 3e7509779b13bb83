import { isObject, type Json, number, object, string } from '@baton/config/values/json';
import { addUsage, type Usage } from '@baton/protocol/values';

const LARGEST = 1e12;

/** Totals that Claude has counted for a process or a session up to some point. */
export type Totals = {
  costUsd: number;
  /** Tokens and cost by model, in Claude's words. */
  models: Json;
};

const NOTHING: Totals = { costUsd: 0, models: {} };
const NO_TOKENS: Usage = {};

/** Fields with the usage in a result; another agent that prints the same format may omit them. */
const USAGE_KEYS = [
  'usage',
  'total_cost_usd',
  'modelUsage',
  'model_usage_since_last_result',
] as const;

/** The counters of one model that only ever grow. */
const COUNTERS = [
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
] as const;

/**
 * Counts the usage of a turn as it runs, separate from earlier usage.
 *
 * `result.usage` is that of the turn but omits sub-agents, truncated answers and turns that a budget ended. The totals
 * (`total_cost_usd`, `modelUsage`) include everything, but continue from turn to turn and, in newer releases, from the
 * previous process of the session. So a result is read in this order: the usage that Claude reports since its last
 * result, if it does; otherwise the totals minus the previous totals.
 */
export class UsageMeter {
  #turn: Usage | undefined;
  #begun: Json | undefined;
  #contextTokens: number | undefined;
  #model: string | undefined;
  #window: number | undefined;
  #before: Totals;
  #session: string | undefined;
  /** The usage of turns that Claude started itself since the last prompt. */
  #skipped: Usage | undefined;
  /** Counts of each source since the last requested turn. */
  #sources: readonly Usage[] = [];

  /** Begins with the totals that a resumed session had. */
  constructor(before: Totals = NOTHING) {
    this.#before = before;
  }

  /** The model that the main agent uses, as its window is the one that fills. */
  set model(model: string | undefined) {
    this.#model = model ?? this.#model;
  }

  /** A message of the main agent begins; its input is known, its output is not. */
  begin(usage: Json): void {
    this.#begun = usage;
    this.#contextTokens = inputOf(usage) || this.#contextTokens;
  }

  /** A message of the main agent is complete; returns the usage of the turn so far. */
  add(usage: Json): Usage {
    if (this.#begun) this.#turn = addUsage(this.#turn, tokensOf({ ...this.#begun, ...usage }));
    this.#begun = undefined;
    return { ...this.#turn, contextWindow: this.#window, contextTokens: this.#contextTokens };
  }

  /**
   * The turn is over; returns its total usage, or what a turn that Claude started itself adds to it. Nothing for an agent
   * that reports no usage.
   */
  end(result: Json, isSelfStarted = false): Usage | undefined {
    const usage = addUsage(this.#skipped, this.#consumed(result, isSelfStarted));
    this.#skipped = undefined;
    this.#window = this.#windowOf(object(result.modelUsage)) ?? this.#window;
    if (!usage) return undefined;
    return {
      ...usage,
      contextWindow: this.#window,
      contextTokens: this.#contextTokens,
    };
  }

  /** A turn that no prompt started is over; it counts for the next prompt. */
  skip(result: Json): void {
    this.#skipped = addUsage(this.#skipped, this.#consumed(result, true));
  }

  /**
   * A result may already include the next one, of a turn that Claude started itself: the sums are compared.
   */
  #consumed(result: Json, isSelfStarted: boolean): Usage | undefined {
    const isReported = this.#turn !== undefined || USAGE_KEYS.some((key) => key in result);
    const counted = this.#turn ?? NO_TOKENS;
    this.#turn = undefined;
    if (!isReported) return undefined;
    const { costUsd, models } = this.#sinceLast(result);
    const before = isSelfStarted ? this.#sources : [];
    this.#sources = [tokensOf(object(result.usage)), models, counted].map((source, index) =>
      added(source, before[index] ?? NO_TOKENS),
    );
    return { ...tokensSince(most(...this.#sources), most(...before)), costUsd };
  }

  #sinceLast(result: Json): { costUsd: number | undefined; models: Usage } {
    const before = this.#totalsBefore(result);
    const models = object(result.modelUsage);
    const costUsd = amount(result.total_cost_usd) ?? before.costUsd;
    this.#before = { costUsd, models: isEmpty(models) ? before.models : models };
    const told = result.model_usage_since_last_result;
    if (isObject(told)) return { costUsd: costOf(told), models: sumOf(told) };
    const hasCost = amount(result.total_cost_usd) !== undefined;
    return {
      costUsd: hasCost ? difference(costUsd, before.costUsd) : undefined,
      models: tokensSince(sumOf(this.#before.models), sumOf(before.models)),
    };
  }

  /**
   * Returns the totals that those of a result continue. In a recording of several sessions, each may count from zero.
   */
  #totalsBefore(result: Json): Totals {
    const session = string(result.session_id) ?? this.#session;
    const isOther = this.#session !== undefined && session !== this.#session;
    this.#session = session;
    return continues(this.#before, result, isOther) ? this.#before : NOTHING;
  }

  #windowOf(models: Json): number | undefined {
    const names = Object.keys(models);
    const name = names.find((each) => each === this.#model) ?? names[0] ?? '';
    return count(object(models[name]).contextWindow);
  }
}

/** True if the totals of a result continue earlier ones: within a process they never fall. */
function continues(before: Totals, result: Json, isOtherSession: boolean): boolean {
  const cost = amount(result.total_cost_usd);
  if (cost !== undefined && cost < before.costUsd) return false;
  const models = object(result.modelUsage);
  if (isEmpty(models) || isEmpty(before.models)) return !isOtherSession;
  return Object.entries(before.models).every(([name, earlier]) => {
    const later = object(models[name]);
    return COUNTERS.every(
      (counter) => (count(later[counter]) ?? 0) >= (count(object(earlier)[counter]) ?? 0),
    );
  });
}

/** The tokens of all models together. */
function sumOf(models: Json): Usage {
  return Object.values(models).map(object).map(modelTokens).reduce(added, NO_TOKENS);
}

function costOf(models: Json): number {
  const costs = Object.values(models).map((model) => amount(object(model).costUSD) ?? 0);
  return difference(
    costs.reduce((sum, cost) => sum + cost, 0),
    0,
  );
}

function modelTokens(model: Json): Usage {
  return tokensOf({
    input_tokens: model.inputTokens,
    output_tokens: model.outputTokens,
    cache_read_input_tokens: model.cacheReadInputTokens,
    cache_creation_input_tokens: model.cacheCreationInputTokens,
  });
}

function added(one: Usage, other: Usage): Usage {
  return combined(one, other, (a, b) => a + b);
}

function tokensSince(now: Usage, before: Usage): Usage {
  return combined(now, before, difference);
}

/** The larger of each count: each source may have missed something, none makes anything up. */
function most(...counts: Usage[]): Usage {
  return counts.reduce((one, other) => combined(one, other, Math.max), NO_TOKENS);
}

function combined(one: Usage, other: Usage, combine: (a: number, b: number) => number): Usage {
  const of = (name: 'inputTokens' | 'cachedInputTokens' | 'cacheWriteTokens' | 'outputTokens') =>
    combine(one[name] ?? 0, other[name] ?? 0);
  const inputTokens = of('inputTokens');
  const outputTokens = of('outputTokens');
  return {
    inputTokens,
    cachedInputTokens: of('cachedInputTokens'),
    cacheWriteTokens: of('cacheWriteTokens'),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
  };
}

/** Sums of money that a machine has added up are not exact in their last digits. */
function difference(now: number, before: number): number {
  return Math.max(0, Number((now - before).toFixed(10)));
}

function isEmpty(value: Json): boolean {
  return Object.keys(value).length === 0;
}

function tokensOf(usage: Json): Usage {
  const inputTokens = inputOf(usage);
  const outputTokens = count(usage.output_tokens) ?? 0;
  return {
    inputTokens,
    cachedInputTokens: count(usage.cache_read_input_tokens) ?? 0,
    cacheWriteTokens: count(usage.cache_creation_input_tokens) ?? 0,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
  };
}

/** Claude counts cached tokens apart from the input. An agent that adds up a total may not; the total shows it. */
function inputOf(usage: Json): number {
  const input = count(usage.input_tokens) ?? 0;
  const total = count(usage.total_tokens);
  if (total !== undefined && input + (count(usage.output_tokens) ?? 0) === total) return input;
  return (
    (count(usage.input_tokens) ?? 0) +
    (count(usage.cache_read_input_tokens) ?? 0) +
    (count(usage.cache_creation_input_tokens) ?? 0)
  );
}

function count(value: unknown): number | undefined {
  const size = amount(value);
  return size === undefined ? undefined : Math.round(size);
}

/** A number that can be true; sums of such numbers stay exact. */
function amount(value: unknown): number | undefined {
  const size = number(value);
  return size !== undefined && size >= 0 && size <= LARGEST ? size : undefined;
}
