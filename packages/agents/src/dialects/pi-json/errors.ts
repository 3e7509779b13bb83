import { PROVIDER_WORDS, providerErrorCode } from '@baton/engine/kit/provider-errors';
import type { WordsRule } from '@baton/engine/normalize/end-verdict';
import { withoutMiddle } from '@baton/engine/normalize/error-text';
import { type ErrorInfo, errorInfo } from '@baton/protocol/values';

export const LABEL = 'Pi';

/** Lines that Pi writes to standard error in healthy runs. */
export const NOISE: readonly RegExp[] = [/^Warning: Model ".*" not found for provider/];

/** Error codes by error text. */
const WORDS: readonly WordsRule[] = [
  [/No API key found|No models available|Authentication failed for/i, 'auth_missing'],
  [/^(?:Error: )?Model ".*" not found/im, 'model_not_found'],
  [/No session found|Session file is not a valid/i, 'session_not_found'],
  [/^(?:Error: )?Unknown option/im, 'usage'],
  [/Connection error|fetch failed|ECONNREFUSED|ENOTFOUND|terminated/i, 'network_unreachable'],
];

/** For the words on standard error of a Pi that exits with a code. */
export const ALL_WORDS: readonly WordsRule[] = [...WORDS, ...PROVIDER_WORDS];

/** Returns the error for Pi's error text, which begins with the status of the provider if there is one. */
export function piError(message: string): ErrorInfo {
  const words = message || `${LABEL} failed.`;
  const status = /^(\d{3})\b/.exec(words)?.[1];
  const code =
    (status === undefined ? WORDS.find(([pattern]) => pattern.test(words))?.[1] : undefined) ??
    providerErrorCode({ status: status === undefined ? undefined : Number(status), words }) ??
    'agent_failed';
  return errorInfo(code, withoutMiddle(words));
}
