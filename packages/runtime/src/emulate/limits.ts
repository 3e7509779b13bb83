import { errorInfo } from '@baton/protocol';
import type { StopCause } from '../active-run.ts';
import type { EventDraft } from '../dialect.ts';

/** The limits that Baton itself has to keep for this run. */
export type Limits = { maxTurns?: number | undefined; budgetUsd?: number | undefined };

/** Watches the events of a run and says when a limit is passed. */
export function watchLimits(
  limits: Limits,
  stop: (cause: StopCause) => void,
): (draft: EventDraft) => void {
  let turns = 0;
  let toolEnded = true;
  return (draft) => {
    if (limits.budgetUsd !== undefined && draft.type === 'usage.updated') {
      const { costUsd } = draft.usage;
      if (costUsd !== undefined && costUsd > limits.budgetUsd) {
        stop(
          failure(
            'budget_exceeded',
            `The run cost $${costUsd.toFixed(4)}, its budget is $${limits.budgetUsd}.`,
          ),
        );
      }
    }
    if (limits.maxTurns === undefined || ('parentId' in draft && draft.parentId)) return;
    if (draft.type === 'tool.completed') toolEnded = true;
    const speaks = draft.type === 'message.started' || draft.type === 'tool.started';
    if (!speaks || !toolEnded) return;
    toolEnded = false;
    turns += 1;
    if (turns > limits.maxTurns) {
      stop(failure('max_turns', `The agent used all of its ${limits.maxTurns} turns.`));
    }
  };
}

function failure(code: 'budget_exceeded' | 'max_turns', message: string): StopCause {
  return { outcome: 'failed', error: errorInfo(code, message) };
}
