import { type ErrorInfo, errorInfo } from '@baton/protocol/values';
import type { EventDraft } from '../definition/dialect.ts';

/** The limits that Baton itself has to keep for this run. */
export type Limits = {
  maxTurns?: number | undefined;
  budgetUsd?: number | undefined;
  /** Part of the budget that was spent before this run. */
  spentUsd?: number | undefined;
  /** True if the agent reports its usage after each reply of the model and the tools of that reply. */
  reportsEachCall?: boolean | undefined;
};

/**
 * Watches the events of a run and says when a limit is reached. A turn is one reply of the model with the tools that it
 * calls. The run is stopped as soon as the tools of its last turn have ended, before the agent asks the model again; a
 * reply without tools is the answer and ends the run by itself.
 */
export function watchLimits(
  limits: Limits,
  stop: (cause: { outcome: 'failed'; error: ErrorInfo }) => void,
): (draft: EventDraft) => void {
  const turns = new TurnCounter(limits.reportsEachCall === true);
  let stopped = false;
  const pass = (code: 'budget_exceeded' | 'max_turns', message: string) => {
    stopped = true;
    stop({ outcome: 'failed', error: errorInfo(code, message) });
  };
  return (draft) => {
    if (stopped) return;
    if (limits.budgetUsd !== undefined && draft.type === 'usage.updated') {
      const costUsd = (limits.spentUsd ?? 0) + (draft.usage.costUsd ?? 0);
      if (costUsd > limits.budgetUsd) {
        const cost = draft.usage.costEstimated ? 'estimated cost' : 'cost';
        const words = `The ${cost} of $${costUsd.toFixed(4)} exceeds the budget of $${limits.budgetUsd}.`;
        return pass('budget_exceeded', words);
      }
    }
    if (limits.maxTurns === undefined) return;
    turns.see(draft);
    if (turns.begun > limits.maxTurns || turns.ended >= limits.maxTurns)
      pass('max_turns', `The agent used all of its ${limits.maxTurns} turns.`);
  };
}

/** Counts the turns of the main agent by its events. */
class TurnCounter {
  begun = 0;
  /** The turns after which the agent asks the model again. */
  ended = 0;
  #reportsEachCall: boolean;
  #isOpen = false;
  #hasUsedTools = false;
  #hasUsage = false;
  #tools = new Set<string>();

  constructor(reportsEachCall: boolean) {
    this.#reportsEachCall = reportsEachCall;
  }

  see(draft: EventDraft): void {
    if ('parentId' in draft && draft.parentId) return;
    switch (draft.type) {
      case 'message.started':
        // Text after the tools is the beginning of the next reply, also for an agent that did not report its usage.
        this.#end();
        return this.#begin();
      case 'permission.requested':
        return this.#begin();
      case 'tool.started':
        // Before the first usage there is no telling the next reply from the next tool of the same one.
        if (!this.#hasUsage) this.#end();
        this.#begin();
        this.#tools.add(draft.callId);
        return;
      case 'tool.completed':
        this.#tools.delete(draft.callId);
        this.#hasUsedTools = true;
        if (!this.#reportsEachCall) this.#end();
        return;
      case 'usage.updated':
        if (this.#reportsEachCall) this.#reported();
    }
  }

  /** The first report shows that all tools until then were of one reply. */
  #reported(): void {
    if (!this.#hasUsage) {
      this.#hasUsage = true;
      this.begun = Math.min(this.begun, 1);
      this.ended = 0;
    }
    this.#end();
  }

  #begin(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#hasUsedTools = false;
    this.begun += 1;
  }

  #end(): void {
    if (!this.#isOpen || !this.#hasUsedTools || this.#tools.size > 0) return;
    this.#isOpen = false;
    this.ended += 1;
  }
}
