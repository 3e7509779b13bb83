import { addUsage, type Usage } from '@baton/protocol';
import { type Json, number, object } from '../../normalize/json.ts';

const LARGEST = 1e12;

/** Counts what a turn consumes while it goes on, and what the whole process has cost so far. */
export class UsageMeter {
  #turn: Usage | undefined;
  #begun: Json | undefined;
  #contextTokens: number | undefined;
  #model: string | undefined;
  #costBefore = 0;

  /** The model that the main agent uses, as its window is the one that fills. */
  set model(model: string | undefined) {
    this.#model = model ?? this.#model;
  }

  /** A message of the main agent begins; its input is known, its output is not. */
  begin(usage: Json): void {
    this.#begun = usage;
    this.#contextTokens = inputOf(usage) || this.#contextTokens;
  }

  /** A message of the main agent is whole; gives what the turn has consumed so far. */
  add(usage: Json): Usage {
    if (this.#begun) this.#turn = addUsage(this.#turn, tokensOf({ ...this.#begun, ...usage }));
    this.#begun = undefined;
    return { ...this.#turn, contextTokens: this.#contextTokens };
  }

  /** The turn is over; gives what it has consumed as a whole. */
  end(result: Json): Usage {
    this.#turn = undefined;
    // Cost is counted since the start of the process, tokens are counted for each turn.
    const total = amount(result.total_cost_usd) ?? this.#costBefore;
    const costUsd = Math.max(0, Number((total - this.#costBefore).toFixed(10)));
    this.#costBefore = total;
    return {
      ...tokensOf(object(result.usage)),
      costUsd,
      contextWindow: this.#windowOf(object(result.modelUsage)),
      contextTokens: this.#contextTokens,
    };
  }

  #windowOf(models: Json): number | undefined {
    const names = Object.keys(models);
    const name = names.find((each) => each === this.#model) ?? names[0] ?? '';
    return count(object(models[name]).contextWindow);
  }
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

/** Claude counts cached tokens apart from the input. */
function inputOf(usage: Json): number {
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
