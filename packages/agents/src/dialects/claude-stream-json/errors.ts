import { providerErrorCode } from '@baton/engine/kit/provider-errors';
import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol/values';

/** Facts about a failure, from several places in a stream. */
export type Failure = {
  /** The agent's error text. */
  message: string;
  subtype?: string | undefined;
  /** The HTTP status of the provider. */
  status?: number | undefined;
  /** Reason for the end of the turn. */
  reason?: string | undefined;
  stopReason?: string | undefined;
  /** The kind of error that the message in place of an answer names. */
  kind?: string | undefined;
  /** The status that the last retry was made for. */
  retriedStatus?: number | undefined;
};

type Rule = (failure: Failure) => boolean;

/** Error codes of failures; the first match counts. */
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
  // A reset is an answer that broke off; everything else never got one.
  ['network_unreachable', says(/Unable to connect to API \((?!ECONNRESET)/)],
  [
    'network_unreachable',
    says(/^API Error: .*\((ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\)/),
  ],
];

/** Error codes by the kind of the error, if the provider's answer is unknown. */
const KINDS: readonly (readonly [ErrorCode, Rule])[] = [
  ['access_denied', kindIs('oauth_org_not_allowed')],
  ['auth_missing', kindIs('authentication_failed')],
  ['auth_missing', kindIs('authentication_error')],
  ['auth_missing', says(/^(Not logged in|Please run \/login)/)],
  ['rate_limited', kindIs('rate_limit')],
  ['rate_limited', kindIs('rate_limit_error')],
  ['overloaded', kindIs('overloaded')],
  ['overloaded', kindIs('overloaded_error')],
  ['request_rejected', kindIs('invalid_request')],
  ['request_rejected', kindIs('invalid_request_error')],
  ['provider_error', kindIs('server_error')],
  ['provider_error', kindIs('api_error')],
  ['provider_error', says(/^(API Error|Request timed out)/)],
];

/** The error of a failure, with the agent's own message. */
export function errorOf(failure: Failure, label: string): ErrorInfo {
  const { message } = failure;
  const code =
    firstOf(RULES, failure) ??
    providerErrorCode({ status: statusOf(failure), words: message }) ??
    firstOf(KINDS, failure);
  return errorInfo(code ?? 'agent_failed', message || `${label} exited without an error message.`);
}

function firstOf(rules: typeof RULES, failure: Failure): ErrorCode | undefined {
  return rules.find(([, fits]) => fits(failure))?.[0];
}

function says(pattern: RegExp): Rule {
  return ({ message }) => pattern.test(message);
}

function kindIs(kind: string): Rule {
  return (failure) => failure.kind === kind;
}

/** The last message after several retries has no status. */
function statusOf({ status, message, retriedStatus }: Failure): number | undefined {
  const written = /API Error: (?:Request rejected \()?([45]\d\d)\b/.exec(message)?.[1];
  if (written !== undefined) return status ?? Number(written);
  return status ?? (retriedStatus === 529 ? retriedStatus : undefined);
}
