import { type ErrorInfo, errorInfo, type Usage } from '@baton/protocol';
import type { Verdict } from '../../dialect.ts';
import { type Json, object, string } from '../../normalize/json.ts';
import { codexError } from './errors.ts';

/** What the end of a turn means; `refused` tells that a person refused something for good. */
export function turnVerdict(
  { status, error }: Json,
  { usage, refused }: { usage: Usage | undefined; refused: boolean },
): Verdict {
  if (status === 'completed') return { outcome: 'done', usage };
  if (status === 'interrupted' && refused) {
    const message = 'The run ended because a request of Codex was refused.';
    return { outcome: 'failed', error: errorInfo('permission_denied', message), usage };
  }
  if (status === 'interrupted') return { outcome: 'cancelled', error: interrupted(), usage };
  const { message, codexErrorInfo } = object(error);
  return { outcome: 'failed', error: codexError(string(message), codexErrorInfo), usage };
}

/** The error of a turn that was stopped from outside. */
export function interrupted(): ErrorInfo {
  return errorInfo('interrupted', 'Codex was interrupted.');
}
