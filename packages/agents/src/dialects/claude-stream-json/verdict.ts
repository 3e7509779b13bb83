import { array, type Json, number, object, string } from '@baton/config/values/json';
import type { StreamEnd, Verdict } from '@baton/engine/definition/dialect';
import { type EndFacts, judgeEnd } from '@baton/engine/normalize/end-verdict';
import { errorInfo, type Usage } from '@baton/protocol/values';
import { errorOf } from './errors.ts';

/** The agent that prints a stream: its name, and error codes by its text on standard error. */
export type StreamAgent = {
  /** Name in notices and errors. */
  label: string;
} & Pick<EndFacts, 'noise' | 'words'>;

/** Facts reported in a turn that may explain its failure. */
export type FailureContext = {
  /** The agent's own text in place of an answer, and the kind of error that it is. */
  message?: string | undefined;
  kind?: string | undefined;
  /** The status that the last retry was made for. */
  retriedStatus?: number | undefined;
  /** The agent noted for itself that it was interrupted. */
  interrupted?: boolean | undefined;
};

/** The verdict of the line that ends a turn; `subtype` and `is_error` may each say success although it failed. */
export function verdictOf(
  result: Json,
  {
    label,
    usage,
    failure = {},
  }: { label: string; usage: Usage | undefined; failure?: FailureContext },
): Verdict {
  if (wasInterrupted(result, failure)) return { ...interrupted(), usage };
  if (!hasFailed(result)) {
    return {
      outcome: 'done',
      output: string(result.result),
      structured: result.structured_output,
      usage,
    };
  }
  const told = {
    message: messageOf(result) || failure.message || '',
    subtype: string(result.subtype),
    status: number(result.api_error_status),
    reason: string(result.terminal_reason),
    stopReason: string(result.stop_reason),
    kind: failure.kind ?? string(object(result.error).type),
    retriedStatus: failure.retriedStatus,
  };
  return { outcome: 'failed', usage, error: errorOf(told, label) };
}

/** The verdict on a process that ended before its turn did. */
export function verdictAtEnd(
  end: StreamEnd,
  agent: StreamAgent,
  { understood, failure = {} }: { understood: boolean; failure?: FailureContext },
): Verdict {
  const { label, ...facts } = agent;
  const { message } = failure;
  const lastError = message ? errorOf({ ...failure, message }, label) : undefined;
  return judgeEnd(end, label, { ...facts, lastError, understood });
}

/** The verdict of a turn that was stopped before it was finished. */
export function interrupted(): Verdict {
  return { outcome: 'cancelled', error: errorInfo('interrupted', 'The turn was interrupted.') };
}

/** True if the agent started the turn itself, such as after the end of a background task. */
export function isSelfStarted({ origin }: Json): boolean {
  return (
    typeof origin === 'object' && origin !== null && 'kind' in origin && origin.kind !== 'human'
  );
}

/** Older versions give no reason for the end: there a note came before it. */
function wasInterrupted(
  { terminal_reason: reason, subtype }: Json,
  failure: FailureContext,
): boolean {
  if (reason === 'aborted_streaming' || reason === 'aborted_tools') return true;
  return failure.interrupted === true && subtype === 'error_during_execution' && reason == null;
}

function hasFailed({ is_error: isError, subtype }: Json): boolean {
  return isError === true || string(subtype)?.startsWith('error') === true;
}

function messageOf(result: Json): string {
  const errors = array(result.errors).filter((each) => string(each) !== undefined);
  const { error } = result;
  const words = string(error) ?? string(object(error).message);
  return string(result.result) || errors.join('\n') || words || '';
}
