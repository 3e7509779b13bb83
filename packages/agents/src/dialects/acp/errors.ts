import { isObject, type Json, number, object, parseJson, string } from '@baton/config/values/json';
import type { StreamEnd, Verdict } from '@baton/engine/definition/dialect';
import type { RpcError } from '@baton/engine/kit/json-rpc';
import { PROVIDER_WORDS, providerErrorCode } from '@baton/engine/kit/provider-errors';
import { judgeEnd } from '@baton/engine/normalize/end-verdict';
import { withoutMiddle } from '@baton/engine/normalize/error-text';
import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol/values';
import type { AcpAgent } from './agent.ts';

/** The code with which an agent says that it wants a login first. */
export const AUTH_REQUIRED = -32000;
const RESOURCE_NOT_FOUND = -32002;

/** Returns the error of a failed request to the agent. */
export function acpError({ code, message, data }: RpcError, agent: AcpAgent): ErrorInfo {
  const words = reasonOf(message, data);
  const rule = agent.words?.find(([pattern]) => pattern.test(words));
  if (rule) return errorInfo(rule[1], words, rule[2] ? { hint: rule[2] } : {});
  const status = statusOf(code, message, data);
  const told = providerErrorCode({ status, words });
  return errorInfo(told ?? codeOfRpc(code) ?? 'agent_failed', words || `${agent.label} failed.`);
}

/** Returns the verdict for the stop reason of a prompt. */
export function stopVerdict(stopReason: unknown, agent: AcpAgent): Verdict {
  const failed = (code: ErrorCode, message: string): Verdict => ({
    outcome: 'failed',
    error: errorInfo(code, message),
  });
  if (stopReason === 'cancelled') {
    return { outcome: 'cancelled', error: errorInfo('interrupted', 'The turn was interrupted.') };
  }
  if (stopReason === 'refusal') return failed('refused', 'The model declined to answer.');
  if (stopReason === 'max_turn_requests') {
    return failed('max_turns', `${agent.label} used all the turns it was allowed.`);
  }
  if (stopReason === 'max_tokens') {
    return failed('output_limit', 'The answer is longer than the model may write.');
  }
  return { outcome: 'done' };
}

/** Judges a turn whose agent left without ending it. */
export function judgeAcpEnd(
  end: StreamEnd,
  agent: AcpAgent,
  facts: { lastError: ErrorInfo | undefined; understood: boolean },
): Verdict {
  const { noise = [], words = [] } = agent;
  return judgeEnd(end, agent.label, { noise, words: [...words, ...PROVIDER_WORDS], ...facts });
}

/** Agents put the answer of their provider, as JSON, into the message or the data of the error. */
function reasonOf(message: string, data: unknown): string {
  const { details, message: inner, error } = object(data);
  const words = [details, inner, error, data].map((each) => providerWords(each)).find(Boolean);
  const own = providerWords(message) ?? '';
  const isEmpty = own === '' || /^internal error$/i.test(own);
  const text = isEmpty || !words || own.includes(words) ? own || words || '' : `${own}: ${words}`;
  return withoutMiddle(isEmpty ? (words ?? own) : text);
}

function providerWords(value: unknown): string | undefined {
  if (isObject(value)) return providerWords(object(value.error).message ?? value.message);
  const text = string(value)?.trim();
  if (!text) return undefined;
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  return isObject(json) ? (providerWords(json) ?? text) : text;
}

/** The status of the provider: as the code of the error, or in the JSON that the error carries. */
function statusOf(code: number | undefined, message: string, data: unknown): number | undefined {
  const inJson = object(object(parseJson(message)).error).code;
  const inData = object(data).statusCode ?? object(data).status;
  return [code, number(inJson), number(inData)].find(
    (each) => each !== undefined && each >= 400 && each < 600,
  );
}

function codeOfRpc(code: number | undefined): ErrorCode | undefined {
  if (code === AUTH_REQUIRED) return 'auth_missing';
  return code === RESOURCE_NOT_FOUND ? 'session_not_found' : undefined;
}

/** The ways to log in that an agent offers, as a hint. */
export function loginHint(initialized: Json): string | undefined {
  const methods = Array.isArray(initialized.authMethods) ? initialized.authMethods : [];
  const names = methods.flatMap((method) => string(object(method).name) ?? []);
  return names.length > 0 ? `Log in with the agent itself: ${names.join(', ')}.` : undefined;
}
