import { errorInfo, type Usage } from '@baton/protocol';
import type { Verdict } from '../../dialect.ts';
import { array, type Json, number, string } from '../../normalize/json.ts';
import { errorOf } from './errors.ts';

/** What was heard during the turn that helps to understand why it failed. */
export type TurnClues = {
  /** Claude's own words in the place of an answer, and the word for the kind of error they are. */
  words?: string | undefined;
  kind?: string | undefined;
  /** The status that the last retry was made for. */
  retried?: number | undefined;
  /** Claude noted for itself that it was interrupted. */
  interrupted?: boolean | undefined;
};

/** The verdict of the line that ends a turn; `subtype` and `is_error` may each say success although it failed. */
export function verdictOf(result: Json, usage: Usage, clues: TurnClues): Verdict {
  if (wasInterrupted(result, clues)) return { ...interrupted(), usage };
  if (!hasFailed(result)) {
    return {
      outcome: 'done',
      output: string(result.result),
      structured: result.structured_output,
      usage,
    };
  }
  const error = errorOf({
    words: wordsOf(result) || clues.words || '',
    subtype: string(result.subtype),
    status: number(result.api_error_status),
    reason: string(result.terminal_reason),
    stopReason: string(result.stop_reason),
    kind: clues.kind,
    retried: clues.retried,
  });
  return { outcome: 'failed', usage, error };
}

/** The verdict of a turn that was stopped before it was finished. */
export function interrupted(): Verdict {
  return { outcome: 'cancelled', error: errorInfo('interrupted', 'The turn was interrupted.') };
}

/** Whether Claude began the turn by itself, such as after the end of a background task. */
export function beganByItself({ origin }: Json): boolean {
  return (
    typeof origin === 'object' && origin !== null && 'kind' in origin && origin.kind !== 'human'
  );
}

/** Older versions give no reason for the end: there a note came before it. */
function wasInterrupted({ terminal_reason: reason, subtype }: Json, clues: TurnClues): boolean {
  if (reason === 'aborted_streaming' || reason === 'aborted_tools') return true;
  return clues.interrupted === true && subtype === 'error_during_execution' && reason == null;
}

function hasFailed({ is_error: isError, subtype }: Json): boolean {
  return isError === true || string(subtype)?.startsWith('error') === true;
}

function wordsOf(result: Json): string {
  const errors = array(result.errors).filter((each) => string(each) !== undefined);
  return string(result.result) || errors.join('\n');
}
