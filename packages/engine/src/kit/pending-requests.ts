import type { PermissionAnswer, QuestionAnswer, RequestAnswer } from '@baton/protocol/values';
import type { DraftOf, EventDraft } from '../definition/dialect.ts';

type Pending<Reply> = { callId: string | undefined; place: Place } & (
  | { kind: 'permission'; reply(answer: PermissionAnswer): Reply }
  | { kind: 'question'; reply(answer: QuestionAnswer): Reply }
);
type Place = Pick<DraftOf<'permission.requested'>, 'parentId' | 'turnId'>;

/**
 * The requests of an agent that wait for an answer. A dialect calls `askPermission` or `askQuestions` when the agent
 * asks, with a function that turns the answer into the agent's own form, and sends what `answer` returns.
 */
export class PendingRequests<Reply> {
  #emit: (draft: EventDraft) => void;
  #pending = new Map<string, Pending<Reply>>();

  constructor(emit: (draft: EventDraft) => void) {
    this.#emit = emit;
  }

  askPermission(
    request: Omit<DraftOf<'permission.requested'>, 'type'>,
    reply: (answer: PermissionAnswer) => Reply,
  ): void {
    const { requestId, callId } = request;
    this.#pending.set(requestId, { kind: 'permission', callId, place: placeOf(request), reply });
    this.#emit({ type: 'permission.requested', ...request });
  }

  askQuestions(
    request: Omit<DraftOf<'question.requested'>, 'type'>,
    reply: (answer: QuestionAnswer) => Reply,
  ): void {
    const { requestId, callId } = request;
    this.#pending.set(requestId, { kind: 'question', callId, place: placeOf(request), reply });
    this.#emit({ type: 'question.requested', ...request });
  }

  /** The answer in the agent's format; undefined if the request is no longer pending. */
  answer(requestId: string, answer: RequestAnswer): Reply | undefined {
    const pending = this.#pending.get(requestId);
    if (pending?.kind === 'permission' && 'decision' in answer) {
      this.#pending.delete(requestId);
      return pending.reply(answer);
    }
    if (pending?.kind !== 'question' || 'decision' in answer) return undefined;
    this.#pending.delete(requestId);
    return pending.reply(answer);
  }

  /** The agent has withdrawn a request; one that was answered before stays answered. */
  cancel(requestId: string): void {
    const pending = this.#pending.get(requestId);
    if (!pending) return;
    this.#pending.delete(requestId);
    const resolved = { requestId, by: 'agent', ...pending.place } as const;
    if (pending.kind === 'question') return this.#emit({ type: 'question.resolved', ...resolved });
    this.#emit({ type: 'permission.resolved', decision: 'cancelled', ...resolved });
  }

  /**
   * Reconstructs the answers that a recording does not contain, from how the call went on. Returns whether a permission
   * was among them.
   */
  infer(callId: string, decision: 'allow' | 'deny'): boolean {
    const asked = [...this.#pending].filter(([, pending]) => pending.callId === callId);
    for (const [requestId, { kind, place }] of asked) {
      this.#pending.delete(requestId);
      const resolved = { requestId, by: 'person', synthetic: true, ...place } as const;
      if (kind === 'question') this.#emit({ type: 'question.resolved', ...resolved });
      else this.#emit({ type: 'permission.resolved', decision, ...resolved });
    }
    return asked.some(([, { kind }]) => kind === 'permission');
  }
}

function placeOf({ parentId, turnId }: Place): Place {
  return { parentId, turnId };
}
