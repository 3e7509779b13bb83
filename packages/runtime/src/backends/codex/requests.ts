import type { PermissionAnswer, Question, QuestionAnswer, RequestAnswer } from '@baton/protocol';
import type { EventDraft } from '../../dialect.ts';
import { array, type Json, object, string } from '../../normalize/json.ts';
import { type Approval, approvalOf } from './approvals.ts';
import { elicitationResult, elicitedQuestions } from './elicitation.ts';
import type { RpcId } from './rpc.ts';
import { type Place, placed } from './threads.ts';
import type { ToolCalls } from './tool-calls.ts';

type Pending = {
  rpcId: RpcId;
  place: Place;
  callId?: string | undefined;
} & (
  | ({ kind: 'permission' } & Pick<Approval, 'grant' | 'reply'>)
  | { kind: 'question'; reply(answer: QuestionAnswer): Json }
);

/** An answer in the words of Codex, and what else has to happen for it. */
export type Reply = {
  rpcId: RpcId;
  result: Json;
  place: Place;
  /** Why something was refused; Codex takes no reason with a refusal. */
  reason?: string | undefined;
  /** The run shall end and this answer alone does not end it. */
  interrupts: boolean;
  /** The run ends because a person said so. */
  stops: boolean;
  /** What Codex keeps for ever because of the answer. */
  written?: string | undefined;
};

/** What an app server waits for a person to settle. */
export class Requests {
  #emit: (draft: EventDraft) => void;
  #calls: ToolCalls;
  #pending = new Map<string, Pending>();
  /** What was allowed for the session and Codex would ask for again. */
  #grants = new Set<string>();

  constructor(emit: (draft: EventDraft) => void, calls: ToolCalls) {
    this.#emit = emit;
    this.#calls = calls;
  }

  /** Takes a request: it now waits for a person, is settled at once, or nobody knows what it is. */
  take(rpcId: RpcId, method: string, params: Json, place: Place): 'waits' | 'unknown' | Reply {
    // The numbers begin anew with every process, so they alone would not tell two requests apart.
    const requestId = `${place.turnId ?? place.threadId}:${rpcId}`;
    const approval = approvalOf(method, params, this.#calls);
    if (approval) {
      const { request, grant, reply } = approval;
      const pending = {
        kind: 'permission',
        rpcId,
        place,
        callId: request.callId,
        grant,
        reply,
      } as const;
      if (grant && this.#grants.has(grant)) return permissionReply(pending, { decision: 'allow' });
      this.#pending.set(requestId, pending);
      this.#emit({ type: 'permission.requested', requestId, ...request, ...placed(place) });
      return 'waits';
    }
    const asked = questionsOf(method, params);
    if (!asked) return 'unknown';
    const { questions, reply } = asked;
    const callId = string(params.itemId);
    this.#pending.set(requestId, { kind: 'question', rpcId, place, reply });
    this.#emit({ type: 'question.requested', requestId, questions, callId, ...placed(place) });
    return 'waits';
  }

  /** Settles a request. */
  answer(requestId: string, answer: RequestAnswer): Reply | undefined {
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    if (pending?.kind === 'permission' && 'decision' in answer) {
      const lasts = answer.decision === 'allow' && (answer.scope ?? 'once') !== 'once';
      if (pending.grant && lasts) this.#grants.add(pending.grant);
      return permissionReply(pending, answer);
    }
    if (pending?.kind !== 'question' || 'decision' in answer) return undefined;
    const { rpcId, place } = pending;
    return { rpcId, place, result: pending.reply(answer), interrupts: false, stops: false };
  }

  /** Codex no longer waits for this one; if nobody answered, it became void. */
  resolved(rpcId: unknown): void {
    for (const [requestId, pending] of this.#pending) {
      if (pending.rpcId !== rpcId) continue;
      this.#pending.delete(requestId);
      this.#void(requestId, pending);
    }
  }

  /** In a recording the answers are missing: how the call goes on tells what they were. */
  infer(item: Json): void {
    for (const [requestId, { callId, kind }] of this.#pending) {
      if (kind !== 'permission' || callId === undefined || callId !== item.id) continue;
      this.#pending.delete(requestId);
      const decision = item.status === 'declined' ? 'deny' : 'allow';
      this.#emit({
        type: 'permission.resolved',
        requestId,
        decision,
        by: 'person',
        synthetic: true,
      });
    }
  }

  #void(requestId: string, { kind, place }: Pending): void {
    if (kind === 'permission') {
      const decision = 'cancelled';
      this.#emit({
        type: 'permission.resolved',
        requestId,
        decision,
        by: 'agent',
        ...placed(place),
      });
      return;
    }
    this.#emit({ type: 'question.resolved', requestId, by: 'agent', ...placed(place) });
  }
}

function permissionReply(
  { rpcId, place, reply }: Extract<Pending, { kind: 'permission' }>,
  answer: PermissionAnswer,
): Reply {
  const { result, ends, written } = reply(answer);
  const isRefusal = answer.decision === 'deny';
  const stops = isRefusal && answer.stop === true;
  const isLastWord = stops || answer.by === 'stop';
  return {
    rpcId,
    place,
    result,
    reason: isRefusal && !isLastWord ? answer.reason : undefined,
    interrupts: stops && (!ends || place.parentId !== undefined),
    stops,
    written,
  };
}

function questionsOf(
  method: string,
  params: Json,
): { questions: Question[]; reply(answer: QuestionAnswer): Json } | undefined {
  if (method === 'mcpServer/elicitation/request') {
    return {
      questions: elicitedQuestions(params),
      reply: (answer) => elicitationResult(params, answer),
    };
  }
  if (method !== 'item/tool/requestUserInput') return undefined;
  return {
    questions: array(params.questions).map((entry) => question(object(entry))),
    reply: userInput,
  };
}

function question(asked: Json): Question {
  const options = array(asked.options).map((option) => {
    const { label, description } = object(option);
    return { label: string(label) ?? '', description: string(description) };
  });
  return {
    id: string(asked.id) ?? '',
    header: string(asked.header),
    question: string(asked.question) ?? '',
    options,
    freeText: asked.isOther === true || options.length === 0,
  };
}

/** Codex takes a question without answers as one that the person did not want to answer. */
function userInput(answer: QuestionAnswer): Json {
  if (!('answers' in answer)) return { answers: {} };
  const entries = Object.entries(answer.answers).map(([id, answers]) => [id, { answers }]);
  return { answers: Object.fromEntries(entries) };
}
