import { isObject, number, object, parseJson, string } from '@baton/config/values/json';
import type { EventDraft, StreamEnd, Verdict } from '@baton/engine/definition/dialect';
import { agentWarning } from '@baton/engine/kit/notices';
import { PROVIDER_WORDS, providerErrorCode } from '@baton/engine/kit/provider-errors';
import { judgeEnd, type WordsRule } from '@baton/engine/normalize/end-verdict';
import { withoutMiddle } from '@baton/engine/normalize/error-text';
import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol/values';

/** The name of the agent in messages. */
export const LABEL = 'Codex';

/** Lines that Codex writes to standard error in healthy runs. */
export const STDERR_NOISE: readonly RegExp[] = [
  /^Reading (?:additional input|prompt) from stdin\.\.\.$/,
  /^WARNING: (?:proceeding, even though we could not|failed to clean up stale)/,
  /^warning: (?:Codex could not find bubblewrap|failed to clear stale)/,
  /^Stack backtrace:$/,
  /^ +\d+: /,
  // Traces: they report failed tools, which are no failures of the run, and repeat errors that follow.
  /^\S+Z\s+(?:ERROR|WARN|INFO) /,
];

/** Returns the error of a failed turn, from the error text of Codex and, if present, its error type. */
export function codexError(message: string | undefined, info?: unknown): ErrorInfo {
  const words = message?.trim() ?? '';
  const status = statusOf(info, words);
  const told = status === undefined ? undefined : providerErrorCode({ status, words });
  const kind = codeOfKind(info);
  const named = kind === 'request_rejected' ? badRequest(words) : kind;
  const code = named ?? told ?? codeOfWords(words);
  const fallback = isObject(info) ? 'provider_error' : 'agent_failed';
  return errorInfo(code ?? fallback, readable(words));
}

/** Exit codes of a Codex that was stopped during a turn; it prints nothing more. */
const STOP_EXITS = { exec: 1, 'app-server': 0 };

/** Known facts about a turn that Codex did not end. */
type UnfinishedTurn = {
  /** True if Codex printed anything that could be read. */
  understood: boolean;
  program: keyof typeof STOP_EXITS;
  /** True if a turn was in progress. */
  isInTurn: boolean;
  /** The last error it reported, from which it may have tried to recover. */
  lastError?: ErrorInfo | undefined;
};

/** Judges a run that ended without a verdict on its turn. */
export function judgeCodexEnd(end: StreamEnd, turn: UnfinishedTurn): Verdict {
  const { understood, program, isInTurn, lastError } = turn;
  const message = isInTurn
    ? 'Codex exited during its turn without an error message, as it does when it is interrupted.'
    : 'Codex ended before a turn started.';
  return judgeEnd(end, LABEL, {
    noise: STDERR_NOISE,
    words: [...WORDS, ...PROVIDER_WORDS],
    exits: { [STOP_EXITS[program]]: errorInfo('interrupted', message) },
    lastError,
    understood,
  });
}

/** The error of a turn that was stopped from outside. */
export function interruptedError(): ErrorInfo {
  return errorInfo('interrupted', `${LABEL} was interrupted.`);
}

/**
 * A model that refuses leaves no other trace in Codex than a turn without content; nor does one that had nothing to say.
 */
export function emptyTurnWarning(): EventDraft {
  return agentWarning(`${LABEL} ended its turn without saying or doing anything.`);
}

/** The kinds of error that the app server names. */
const KINDS: Readonly<Record<string, ErrorCode>> = {
  contextWindowExceeded: 'context_too_long',
  sessionBudgetExceeded: 'budget_exceeded',
  usageLimitExceeded: 'quota_exhausted',
  rateLimitExceeded: 'rate_limited',
  flexUnavailable: 'overloaded',
  serverOverloaded: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
  modelNotFound: 'model_not_found',
  cyberPolicy: 'refused',
  misalignmentPolicyViolation: 'refused',
  tooManyDenials: 'permission_denied',
  internalServerError: 'provider_error',
  unauthorized: 'auth_missing',
  badRequest: 'request_rejected',
  sandboxError: 'agent_failed',
};

/** Words of Codex itself, for `exec` and standard error, which know no kinds. The first that fits counts. */
const WORDS: readonly WordsRule[] = [
  [
    /no rollout found|invalid (?:session|thread) id|no (?:saved )?session found/i,
    'session_not_found',
  ],
  [/already has an active writer/i, 'session_busy'],
  // Another version of Codex that no longer has the policy by which it asks for everything.
  [/unknown variant `untrusted`/i, 'capability_missing'],
  [/required MCP servers? failed/i, 'mcp_failed'],
  [/not inside a trusted directory/i, 'trust_required'],
  [/missing environment variable|not logged in|log in again|refresh token/i, 'auth_missing'],
  [/error loading config|failed to load configuration|finding codex home/i, 'config_invalid'],
  [/model provider .* not found/i, 'config_invalid'],
  [/this chat uses .* but your current provider is/i, 'config_invalid'],
  [/max_output_tokens/i, 'output_limit'],
  [
    /error sending request|connection failed|lookup address|waiting for network/i,
    'network_unreachable',
  ],
  [/high demand|stream (?:disconnected|closed)|idle timeout/i, 'provider_error'],
  [/invalid_request_error/i, 'request_rejected'],
  [/^error: |No prompt provided|^Usage: codex/m, 'usage'],
];

function codeOfKind(info: unknown): ErrorCode | undefined {
  return typeof info === 'string' && Object.hasOwn(KINDS, info) ? KINDS[info] : undefined;
}

function codeOfWords(words: string): ErrorCode | undefined {
  const code = WORDS.find(([pattern]) => pattern.test(words))?.[1];
  return code === 'request_rejected' ? badRequest(words) : (code ?? providerErrorCode({ words }));
}

/** Codex calls every error of status 400 a bad request, also a prompt that is too long. */
function badRequest(words: string): ErrorCode | undefined {
  return providerErrorCode({ status: 400, words });
}

function statusOf(info: unknown, words: string): number | undefined {
  const [detail] = Object.values(object(info));
  const named = number(object(detail).httpStatusCode);
  if (named !== undefined) return named;
  const written = /\b(?:unexpected|last) status:? (\d{3})\b/.exec(words)?.[1];
  return written === undefined ? undefined : Number(written);
}

/** A refused request is reported as the whole body of the answer; its message is what a person can read. */
function readable(words: string): string {
  const body = object(parseJson(words));
  const message = string(object(body.error).message) ?? words;
  return withoutMiddle(message) || `${LABEL} reported an error without details.`;
}
