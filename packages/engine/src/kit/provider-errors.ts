import type { ErrorCode } from '@baton/protocol/values';

/** Error codes by the provider's HTTP status, for every agent. */
export const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'request_rejected',
  401: 'auth_missing',
  402: 'quota_exhausted',
  403: 'access_denied',
  404: 'model_not_found',
  408: 'provider_error',
  409: 'provider_error',
  413: 'context_too_long',
  422: 'request_rejected',
  429: 'rate_limited',
  503: 'overloaded',
  529: 'overloaded',
};

/** The meaning of a provider's error text; the first match wins. */
export const PROVIDER_WORDS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/credit balance is too low|quota|usage limit|billing/i, 'quota_exhausted'],
  [
    /prompt is too long|context[ _](?:window|length)|maximum context|maximum number of tokens allowed/i,
    'context_too_long',
  ],
  [
    /(?:incorrect|invalid|no) api key|api key (?:is )?(?:not valid|invalid)|authentication failed|unauthorized/i,
    'auth_missing',
  ],
  [/models?[ /].*(?:does not exist|not found)/i, 'model_not_found'],
  [/at capacity|overloaded/i, 'overloaded'],
  [/rate limit|too many requests/i, 'rate_limited'],
  [/stream ended without (?:a )?finish[ _]reason|API Error: terminated/i, 'provider_error'],
];

/** Vague statuses: the text beside them counts first. */
const VAGUE = new Set([400, 403, 404, 422, 429]);

/** Returns the error code for the answer of a provider, by its status and its text; undefined if neither is known. */
export function providerErrorCode({
  status,
  words = '',
}: {
  status?: number | undefined;
  words?: string | undefined;
}): ErrorCode | undefined {
  const known = status ?? statusIn(words);
  if (known === undefined) return codeOfWords(words);
  return codeOfStatus(known, words);
}

/** The status in the words of a client: "401 Invalid key", "API error (status 401 Unauthorized)". */
function statusIn(words: string): number | undefined {
  const found =
    /^(?:\w*Error:\s*)*([45]\d\d)\s+(?:[A-Z{"]|status)/.exec(words) ??
    /\b(?:status(?: code)?|HTTP|API error)[\s:=(]{1,3}([45]\d\d)\b/i.exec(words);
  return found ? Number(found[1]) : undefined;
}

function codeOfStatus(status: number, words: string): ErrorCode | undefined {
  const bySaying = VAGUE.has(status) ? codeOfWords(words) : undefined;
  return bySaying ?? STATUS_CODES[status] ?? codeOfRange(status);
}

function codeOfRange(status: number): ErrorCode | undefined {
  if (status >= 500) return 'provider_error';
  return status >= 400 ? 'request_rejected' : undefined;
}

function codeOfWords(words: string): ErrorCode | undefined {
  return PROVIDER_WORDS.find(([pattern]) => pattern.test(words))?.[1];
}
