import { type Json, number, object, string } from '@baton/config/values/json';
import type { Verdict } from '@baton/engine/definition/dialect';
import { providerErrorCode } from '@baton/engine/kit/provider-errors';
import type { WordsRule } from '@baton/engine/normalize/end-verdict';
import { withoutMiddle } from '@baton/engine/normalize/error-text';
import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol/values';

export const LABEL = 'OpenCode';

/** Lines that OpenCode writes to standard error in healthy runs. */
export const NOISE: readonly RegExp[] = [
  // The header of a run in the default format.
  /^> \S+ · /,
  /^Performing one time database migration|^sqlite-migration:|^Database migration complete/,
];

/** Error codes by error text. */
export const WORDS: readonly WordsRule[] = [
  [/session not found|NotFoundError.*session|invalid.*sessionID/i, 'session_not_found'],
  [/ProviderModelNotFoundError|ModelNotFoundError|model not found/i, 'model_not_found'],
  [/ConfigInvalidError|ConfigJsonError|configuration is invalid|not valid JSON/i, 'config_invalid'],
  [/Cannot connect to API|Unable to connect/i, 'network_unreachable'],
  [/You must provide a message|Unknown argument|--fork requires|^opencode \w+ \[/im, 'usage'],
];

/** The errors that say by their name what they are. */
const NAMES: Readonly<Record<string, ErrorCode>> = {
  ProviderAuthError: 'auth_missing',
  ProviderModelNotFoundError: 'model_not_found',
  ContextOverflowError: 'context_too_long',
  MessageOutputLengthError: 'output_limit',
  MessageAbortedError: 'interrupted',
};

/** Returns the error for one in OpenCode's own form: `{ name, data }`. */
export function openCodeError({ name, data }: Json): ErrorInfo {
  const { message, statusCode, responseBody } = object(data);
  const words = string(message) || string(name) || `${LABEL} failed.`;
  const rule = WORDS.find(([pattern]) => pattern.test(words));
  const status = number(statusCode);
  const told = `${words}\n${string(responseBody) ?? ''}`;
  const code =
    rule?.[1] ??
    NAMES[String(name)] ??
    providerErrorCode({ status, words: told }) ??
    'agent_failed';
  return errorInfo(code, withoutMiddle(words));
}

/** Returns the verdict on a turn, by the reason for the end of its last step. */
export function finishVerdict(reason: string | undefined, output: string): Verdict {
  if (reason === 'length') {
    const message = 'The answer is longer than the model may write.';
    return { outcome: 'failed', error: errorInfo('output_limit', message) };
  }
  if (reason === 'content-filter') {
    return { outcome: 'failed', error: errorInfo('refused', 'The model declined to answer.') };
  }
  return { outcome: 'done', output };
}
