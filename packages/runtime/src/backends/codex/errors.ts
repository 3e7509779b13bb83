import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol';
import type { StreamEnd, Verdict } from '../../dialect.ts';
import { judgeEnd } from '../../normalize/end.ts';
import { errorText, withoutMiddle } from '../../normalize/error-text.ts';
import { isObject, number, object, parseJson, string } from '../../normalize/json.ts';
import { providerErrorCode } from '../../normalize/provider-errors.ts';
import { LABEL } from './name.ts';

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

/** Why a turn failed, from the words of Codex and, where it gives one, its own kind of error. */
export function codexError(message: string | undefined, info?: unknown): ErrorInfo {
  const words = message?.trim() ?? '';
  const status = statusOf(info, words);
  const told = status === undefined ? undefined : providerErrorCode({ status, words });
  const code = codeOfKind(info) ?? told ?? codeOfWords(words);
  const fallback = isObject(info) ? 'provider_error' : 'agent_failed';
  return errorInfo(code ?? fallback, readable(words));
}

/** The exit codes with which Codex leaves a turn when it is told to stop: it says nothing more. */
const TOLD_TO_STOP = { exec: 1, 'app-server': 0 };

export type EndClues = {
  /** Whether Codex had said anything that could be read. */
  understood: boolean;
  program: keyof typeof TOLD_TO_STOP;
  /** Whether a turn was going on. */
  isInTurn: boolean;
  /** The last error it reported, which it may have tried to get over. */
  lastError?: ErrorInfo | undefined;
};

/** Judges a run that ended without a word about its turn. */
export function codexEnd(end: StreamEnd, clues: EndClues): Verdict {
  const { understood, program, isInTurn, lastError } = clues;
  const verdict = judgeEnd(end, LABEL, { noise: STDERR_NOISE, understood });
  if (end.signal || verdict.error?.code === 'interrupted') return verdict;
  if (lastError) return { outcome: 'failed', error: lastError };
  const words = errorText(end.stderr, STDERR_NOISE);
  const code = end.code ? codeOfWords(words) : undefined;
  if (code) return { outcome: 'failed', error: errorInfo(code, words) };
  const wasToldToStop = understood && words === '' && end.code === TOLD_TO_STOP[program];
  if (!wasToldToStop) return verdict;
  const message = isInTurn
    ? 'Codex left in the middle of its turn without a word, as it does when it is told to stop.'
    : 'Codex ended before a turn had begun.';
  return { outcome: 'failed', error: errorInfo('interrupted', message) };
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
const WORDS: readonly (readonly [RegExp, ErrorCode])[] = [
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
  return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? providerErrorCode({ words });
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
  return withoutMiddle(message) || `${LABEL} reported a failure without a word about it.`;
}
