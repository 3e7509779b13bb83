import { array, type Json, object, string } from '@baton/config/values/json';
import type { EventDraft } from '@baton/engine/definition/dialect';
import { elicitationResult, elicitedQuestions } from '@baton/engine/kit/elicitation';
import type { RpcId } from '@baton/engine/kit/json-rpc';
import { PendingRequests } from '@baton/engine/kit/pending-requests';
import type { PermissionAnswer, PermissionScope, RequestAnswer } from '@baton/protocol/values';
import { type AcpToolCalls, parentOf } from './tool-calls.ts';

/** An answer in the form of the protocol. */
export type AcpReply = {
  rpcId: RpcId;
  result: Json;
  /** The call that was refused. */
  refused?: string | undefined;
  /** True if the whole turn must end because of it. */
  stops: boolean;
  /** Reason for sending the agent something else than the answer. */
  problem?: string | undefined;
};

export type RequestsInput = {
  calls: AcpToolCalls;
  /** True to grant every permission request without asking. */
  allowsAll: boolean;
  /** Sends a reply that needed no answer from a person. */
  reply(reply: AcpReply): void;
};

/** A request that waits: its id on the wire, the call that it is about, and the answers that it offers. */
type Waiting = { rpcId: RpcId; callId: string | undefined; options: readonly Json[] };

const CANCELLED = { outcome: { outcome: 'cancelled' } };

/** Requests of an agent that await an answer. */
export class AcpRequests {
  #pending: PendingRequests<AcpReply>;
  #calls: AcpToolCalls;
  #input: RequestsInput;
  /** The requests that wait, by their ids in Baton. */
  #waiting = new Map<string, Waiting>();
  /** True once a recorded client has cancelled the turn. */
  #isCancelled = false;

  constructor(emit: (draft: EventDraft) => void, input: RequestsInput) {
    this.#pending = new PendingRequests(emit);
    this.#calls = input.calls;
    this.#input = input;
  }

  /** Handles a request; returns false if it is unknown. */
  receive(rpcId: RpcId, method: string, params: Json): boolean {
    if (method === 'session/request_permission') return this.#permission(rpcId, params);
    if (method !== 'elicitation/create') return false;
    const callId = string(params.toolCallId);
    const requestId = `${string(params.sessionId) ?? 'session'}:${callId ?? 'form'}:${rpcId}`;
    this.#waiting.set(requestId, { rpcId, callId, options: [] });
    this.#pending.askQuestions(
      { requestId, callId, questions: elicitedQuestions(params) },
      (answer) => ({ rpcId, result: elicited(params, answer), stops: false }),
    );
    return true;
  }

  answer(requestId: string, answer: RequestAnswer): AcpReply | undefined {
    this.#waiting.delete(requestId);
    return this.#pending.answer(requestId, answer);
  }

  /** Denies all pending requests because the turn must end: an agent that still waits does not stop. */
  cancelAll(): AcpReply[] {
    const stop = { decision: 'deny', by: 'stop' } as const;
    const declined = { declined: true, by: 'stop' } as const;
    return [...this.#waiting.keys()].flatMap(
      (requestId) => this.answer(requestId, stop) ?? this.answer(requestId, declined) ?? [],
    );
  }

  /**
   * A recorded client cancels the turn: pending requests are not denied, and later failures result from the
   * cancellation.
   */
  cancelTurn(): void {
    this.#isCancelled = true;
    this.#calls.cancelTurn();
  }

  /** The answer of a recorded client to a request for permission. */
  recorded(rpcId: RpcId, { outcome, optionId }: Json): void {
    const asked = [...this.#waiting.values()].find((each) => each.rpcId === rpcId);
    if (!asked || (outcome === 'cancelled' && this.#isCancelled)) return;
    const kind = string(asked.options.find((each) => each.optionId === optionId)?.kind);
    this.#settle((each) => each === asked, kind?.startsWith('allow') ? 'allow' : 'deny');
  }

  /** A recording of one side has no answers: they are inferred from how each call continues. */
  infer(callId: string, status: unknown): void {
    if (status !== 'in_progress' && status !== 'completed' && status !== 'failed') return;
    const isMeant = (each: Waiting) => each.callId === callId;
    if (status !== 'failed') return this.#settle(isMeant, 'allow');
    if (!this.#isCancelled) return this.#settle(isMeant, 'deny');
    for (const [requestId, asked] of this.#waiting) {
      if (!isMeant(asked)) continue;
      this.#waiting.delete(requestId);
      this.#pending.cancel(requestId);
    }
  }

  /** A recorded turn is over: a call that was allowed would have continued, unless the turn was cancelled. */
  inferRest(wasCancelled: boolean): void {
    if (!wasCancelled) this.#settle(() => true, 'deny');
    this.#waiting.clear();
    this.#isCancelled = false;
  }

  #settle(isMeant: (asked: Waiting) => boolean, decision: 'allow' | 'deny'): void {
    for (const [requestId, asked] of this.#waiting) {
      const { callId } = asked;
      if (callId === undefined || !isMeant(asked)) continue;
      this.#waiting.delete(requestId);
      const wasPermission = this.#pending.infer(callId, decision);
      if (wasPermission && decision === 'deny') this.#calls.refuse(callId);
    }
  }

  #permission(rpcId: RpcId, params: Json): boolean {
    const toolCall = object(params.toolCall);
    const call = this.#calls.read({ ...toolCall, status: toolCall.status ?? 'pending' });
    if (!call) return false;
    const { callId, name: tool, action, input } = call;
    const options = array(params.options).map(object);
    if (this.#input.allowsAll) {
      const answer = { decision: 'allow' } as const;
      this.#input.reply(permissionReply({ rpcId, callId, options, answer }));
      return true;
    }
    const requestId = `${string(params.sessionId) ?? 'session'}:${callId}:${rpcId}`;
    const reason = string(toolCall.title);
    const scopes: PermissionScope[] = optionOf(options, 'allow_always')
      ? ['once', 'session']
      : ['once'];
    this.#waiting.set(requestId, { rpcId, callId, options });
    this.#pending.askPermission(
      { requestId, callId, tool, action, input, reason, scopes, parentId: parentOf(toolCall) },
      (answer) => permissionReply({ rpcId, callId, options, answer }),
    );
    return true;
  }
}

type Asked = { rpcId: RpcId; callId: string; options: readonly Json[]; answer: PermissionAnswer };

/** Options are chosen by what they mean: their ids are different for every agent. */
function permissionReply({ rpcId, callId, options, answer }: Asked): AcpReply {
  if (answer.decision === 'allow') {
    const lasts = answer.scope === 'session' || answer.scope === 'always';
    const wanted = lasts ? ['allow_always', 'allow_once'] : ['allow_once'];
    const optionId = wanted.map((kind) => optionOf(options, kind)).find(Boolean);
    if (optionId) return { rpcId, result: selected(optionId), stops: false };
    const problem = 'The agent offers no way to allow this once, so it was refused.';
    return { rpcId, result: CANCELLED, refused: callId, stops: false, problem };
  }
  const stops = answer.stop === true;
  const isLastWord = stops || answer.by === 'stop';
  const reject = optionOf(options, 'reject_once') ?? optionOf(options, 'reject_always');
  return {
    rpcId,
    result: isLastWord || !reject ? CANCELLED : selected(reject),
    refused: callId,
    stops,
  };
}

function optionOf(options: readonly Json[], kind: string): string | undefined {
  return string(options.find((option) => option.kind === kind)?.optionId);
}

function selected(optionId: string): Json {
  return { outcome: { outcome: 'selected', optionId } };
}

function elicited(params: Json, answer: RequestAnswer): Json {
  if ('by' in answer && answer.by === 'stop') return { action: 'cancel' };
  const { action, content } = elicitationResult(params, answer);
  return action === 'accept' ? { action, content } : { action };
}
