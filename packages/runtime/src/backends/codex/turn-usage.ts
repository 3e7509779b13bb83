import type { Usage } from '@baton/protocol';
import { type Json, number, object, string } from '../../normalize/json.ts';
import { minus, type Prices, plus, readTokens, type Tokens, usageOf } from './usage.ts';

/** Adds up what a turn consumes, the sub-agents that it started included. */
export class TurnUsage {
  #prices: Prices | undefined;
  #turns = new Set<string>();
  #threads = new Map<string, { before: Tokens; total: Tokens }>();
  #context: Pick<Usage, 'contextWindow' | 'contextTokens'> = {};

  constructor(prices?: Prices) {
    this.#prices = prices;
  }

  /** Forgets what was counted before. */
  reset(): void {
    this.#turns.clear();
    this.#threads.clear();
  }

  /** A turn has begun: from now on its counts are ours. */
  begin(turnId: string): void {
    this.#turns.add(turnId);
  }

  /** A turn is over. A thread that is forked or resumed repeats the last count of a turn like that. */
  end(turnId: string): void {
    this.#turns.delete(turnId);
  }

  /** Takes a count; tells whether it is of a turn that is going on. */
  take(params: Json, isMain: boolean): boolean {
    if (!this.#turns.has(string(params.turnId) ?? '')) return false;
    const { total, last, modelContextWindow } = object(params.tokenUsage);
    const threadId = string(params.threadId) ?? '';
    const sum = readTokens(total);
    // Totals count the whole thread; the first one of a turn tells what came before it.
    const before = this.#threads.get(threadId)?.before ?? minus(sum, readTokens(last));
    this.#threads.set(threadId, { before, total: sum });
    if (isMain) {
      this.#context = {
        contextWindow: number(modelContextWindow),
        contextTokens: number(object(last).totalTokens),
      };
    }
    return true;
  }

  /** What the turn has consumed so far; nothing when nobody counted. */
  get usage(): Usage | undefined {
    const counts = [...this.#threads.values()].map(({ total, before }) => minus(total, before));
    if (counts.length === 0) return undefined;
    return { ...usageOf(counts.reduce(plus), this.#prices), ...this.#context };
  }
}
