import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol';

/** All that Claude tells about a failure, in several places. */
export type Failure = {
  /** Its own words. */
  words: string;
  subtype?: string | undefined;
  /** The HTTP status of the provider. */
  status?: number | undefined;
  /** Why the turn ended. */
  reason?: string | undefined;
  stopReason?: string | undefined;
  /** The word on the message that stands in for the model's answer. */
  kind?: string | undefined;
  /** The status that the last retry was made for. */
  retried?: number | undefined;
};

type Rule = (failure: Failure) => boolean;

/** What a failure means; the first rule that fits counts. */
const RULES: readonly (readonly [ErrorCode, Rule])[] = [
  ['max_turns', ({ subtype }) => subtype === 'error_max_turns'],
  ['budget_exceeded', ({ subtype }) => subtype === 'error_max_budget_usd'],
  ['schema_mismatch', ({ subtype }) => subtype === 'error_max_structured_output_retries'],
  ['session_not_found', says(/No conversation found with session ID/)],
  ['session_not_found', says(/does not match any session title/)],
  ['usage', says(/^(Error: )?--\S+ /)],
  ['context_too_long', ({ reason }) => reason === 'prompt_too_long' || reason === 'blocking_limit'],
  ['context_too_long', says(/^Prompt is too long/i)],
  ['quota_exhausted', kindIs('billing_error')],
  ['quota_exhausted', says(/^Credit balance is too low/)],
  ['refused', ({ stopReason }) => stopReason === 'refusal'],
  ['refused', says(/unable to respond to this request, which appears to violate/)],
  ['output_limit', kindIs('max_output_tokens')],
  ['output_limit', says(/exceeded the \d+ output token maximum/)],
  ['model_not_found', kindIs('model_not_found')],
  ['model_not_found', says(/issue with the selected model/)],
  ['access_denied', ({ status }) => status === 403],
  ['access_denied', kindIs('oauth_org_not_allowed')],
  ['auth_missing', ({ status }) => status === 401],
  ['auth_missing', kindIs('authentication_failed')],
  ['auth_missing', says(/^(Not logged in|Invalid API key|Please run \/login)/)],
  ['rate_limited', ({ status }) => status === 429],
  ['rate_limited', kindIs('rate_limit')],
  // The last word after several refusals has no status of its own.
  ['overloaded', ({ status, retried }) => status === 529 || retried === 529],
  ['overloaded', kindIs('overloaded')],
  // A reset is an answer that broke off; everything else never got one.
  ['network_unreachable', says(/Unable to connect to API \((?!ECONNRESET)/)],
  [
    'network_unreachable',
    says(/^API Error: .*\((ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\)/),
  ],
  ['request_rejected', ({ status }) => status !== undefined && status >= 400 && status < 500],
  ['request_rejected', kindIs('invalid_request')],
  ['provider_error', ({ status }) => status !== undefined && status >= 500],
  ['provider_error', kindIs('server_error')],
  ['provider_error', says(/^(API Error|Request timed out)/)],
];

/** The error that a failure of Claude is, in its own words. */
export function errorOf(failure: Failure): ErrorInfo {
  const whole = { ...failure, status: failure.status ?? statusIn(failure.words) };
  const code = RULES.find(([, fits]) => fits(whole))?.[0] ?? 'agent_failed';
  return errorInfo(code, failure.words || 'Claude Code failed without a word.');
}

function says(pattern: RegExp): Rule {
  return ({ words }) => pattern.test(words);
}

function kindIs(kind: string): Rule {
  return (failure) => failure.kind === kind;
}

function statusIn(words: string): number | undefined {
  const status = /API Error: (?:Request rejected \()?([45]\d\d)\b/.exec(words)?.[1];
  return status === undefined ? undefined : Number(status);
}
