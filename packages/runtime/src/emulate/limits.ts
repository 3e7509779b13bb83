import { errorInfo } from '@baton/protocol/values';
import type { EventDraft } from '../definition/dialect.ts';
import type { StopCause } from '../run/active-run.ts';

/** The limits that Baton itself has to keep for this run. */
export type Limits = {
  maxTurns?: number | undefined;
  budgetUsd?: number | undefined;
  /** What was spent of the budget before this run. */
  spentUsd?: number | undefined;
};

/** Watches the events of a run and says when a limit is passed. */
export function watchLimits(
  limits: Limits,
  stop: (cause: StopCause) => void,
): (draft: EventDraft) => void {
  let turns = 0;
  let toolEnded = true;
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
    if (limits.maxTurns === undefined || ('parentId' in draft && draft.parentId)) return;
    if (draft.type === 'tool.completed') toolEnded = true;
    const speaks = draft.type === 'message.started' || draft.type === 'tool.started';
    if (!speaks || !toolEnded) return;
    toolEnded = false;
    turns += 1;
    if (turns > limits.maxTurns)
      pass('max_turns', `The agent used all of its ${limits.maxTurns} turns.`);
  };
}
