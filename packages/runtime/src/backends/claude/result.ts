import { errorInfo, type Usage } from '@baton/protocol';
import type { Verdict } from '../../dialect.ts';
import { array, type Json, number, string } from '../../normalize/json.ts';
import { errorOf } from './errors.ts';

/** What was heard during the turn that helps to understand why it failed. */
export type TurnClues = { kind?: string | undefined; retried?: number | undefined };

/** The verdict of the line that ends a turn; `subtype` may say success although it failed. */
export function verdictOf(result: Json, usage: Usage, clues: TurnClues): Verdict {
  if (wasInterrupted(result)) return { ...interrupted(), usage };
  if (result.is_error !== true) {
    return {
      outcome: 'done',
      output: string(result.result),
      structured: result.structured_output,
      usage,
    };
  }
  const error = errorOf({
    words: wordsOf(result),
    subtype: string(result.subtype),
    status: number(result.api_error_status),
    reason: string(result.terminal_reason),
    stopReason: string(result.stop_reason),
    ...clues,
  });
  return { outcome: 'failed', usage, error };
}

/** The verdict of a turn that was stopped before it was finished. */
export function interrupted(): Verdict {
  return { outcome: 'cancelled', error: errorInfo('interrupted', 'The turn was interrupted.') };
}

/** Whether a turn ended because somebody stopped it. */
export function wasInterrupted({ terminal_reason: reason }: Json): boolean {
  return reason === 'aborted_streaming' || reason === 'aborted_tools';
}

/** Whether Claude began the turn by itself, such as after the end of a background task. */
export function beganByItself({ origin }: Json): boolean {
  return (
    typeof origin === 'object' && origin !== null && 'kind' in origin && origin.kind !== 'human'
  );
}

function wordsOf(result: Json): string {
  const errors = array(result.errors).filter((each) => string(each) !== undefined);
  return string(result.result) ?? errors.join('\n');
}
