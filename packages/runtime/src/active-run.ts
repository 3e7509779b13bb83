import { isDeepStrictEqual } from 'node:util';
import {
  type AgentEvent,
  BatonError,
  type ErrorInfo,
  errorInfo,
  type Outcome,
  type PermissionAnswer,
  type PermissionMode,
  type PermissionRequest,
  type RequestAnswer,
  type RunResult,
  type StopReport,
} from '@baton/protocol';
import type { AgentRun, AnswerReceipt, PendingRequest, RunHooks } from './backend.ts';
import { checkAnswer } from './check-answer.ts';
import type { EventDraft, StreamEnd, Verdict } from './dialect.ts';
import { EventQueue } from './event-queue.ts';
import { actionOf } from './normalize/actions.ts';
import { allowedByMode } from './permission-policy.ts';
import { Recorder } from './recorder.ts';
import { nobodyToAsk, refusal } from './refusal.ts';

/** Why a run is being stopped, and what it will be called then. */
export type StopCause = { outcome: Outcome; error: ErrorInfo };

/** What a run can ask of the conversation it belongs to. */
export type RunControl = {
  answer(requestId: string, answer: RequestAnswer): void;
  steer(text: string): void;
  /** Stops the run, at once when it is forced. */
  stop(cause: StopCause, force: boolean): Promise<StopReport>;
};

export type ActiveRunInput = {
  runId: string;
  hooks: RunHooks;
  permissionMode: PermissionMode;
  cwd: string;
  protectedPaths?: readonly string[] | undefined;
  control: RunControl;
};

/** The handle of a run while it is going on, and the place where its requests are settled. */
export class ActiveRun implements AgentRun {
  readonly runId: string;
  readonly recorder: Recorder;
  readonly queue = new EventQueue();
  /** The last word of the agent about its turn, before the run as a whole has ended. */
  spoken: Verdict | undefined;
  #input: ActiveRunInput;
  #turn = Promise.withResolvers<Verdict>();
  #turnOver = false;
  #ended = Promise.withResolvers<RunResult>();
  #settled = new Set<string>();
  #allowedByMode = new Set<string>();
  #unanswered = new Map<string, PendingRequest>();
  #resultWanted = false;
  #stop: Promise<StopReport> | undefined;
  #cause: StopCause | undefined;
  /** Why permission was denied by somebody who also wanted the turn to end. */
  #lastWord: string | undefined;
  #cancelled = false;

  constructor(input: ActiveRunInput) {
    this.runId = input.runId;
    this.#input = input;
    this.recorder = new Recorder(input.runId, (event) => this.queue.push(event));
    this.queue.onLeave = () => this.stop(cancelled('The consumer stopped reading.'));
    const { signal } = input.hooks;
    if (!signal) return;
    const abort = () => void this.stop(cancelled(abortReason(signal)));
    if (signal.aborted) {
      this.#cause = cancelled(abortReason(signal));
      queueMicrotask(abort);
    }
    signal.addEventListener('abort', abort, { once: true });
    void this.#ended.promise.then(() => signal.removeEventListener('abort', abort));
  }

  get result(): Promise<RunResult> {
    this.#resultWanted = true;
    this.queue.wantResult();
    if (this.#unanswered.size > 0) setImmediate(() => this.#denyUnattended());
    return this.#ended.promise;
  }

  /** Settles when the current turn of the agent is over. */
  get turn(): Promise<Verdict> {
    return this.#turn.promise;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  get stopping(): Promise<StopReport> | undefined {
    return this.#stop;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.queue[Symbol.asyncIterator]();
  }

  answer(requestId: string, answer: RequestAnswer): AnswerReceipt {
    const pending = this.#unanswered.get(requestId);
    if (pending) {
      checkAnswer(pending, answer);
      this.#give(pending, answer);
      return 'accepted';
    }
    if (!this.#settled.has(requestId)) return 'unknown';
    // A caller that answers every request cannot know which ones the permission mode has allowed.
    if (this.#allowedByMode.has(requestId)) return 'late';
    this.recorder.emit({
      type: 'notice',
      level: 'warning',
      code: 'late_answer',
      message: `The answer to request ${requestId} came after it was settled.`,
    });
    return 'late';
  }

  steer(text: string): void {
    if (this.#turnOver) {
      throw new BatonError('usage', 'The agent has finished and cannot be steered any more.', {
        hint: 'Send it as another prompt.',
      });
    }
    this.#input.control.steer(text);
    this.recorder.emit({ type: 'notice', level: 'info', code: 'steered', message: text });
  }

  cancel(reason = 'The run was cancelled.'): Promise<StopReport> {
    const again = this.#cancelled;
    this.#cancelled = true;
    return this.stop(cancelled(reason), again);
  }

  /** Stops the run for the given cause; the first cause wins. */
  stop(cause: StopCause, force = false): Promise<StopReport> {
    if (!this.recorder.ended) this.#cause ??= cause;
    this.#stop = this.#input.control.stop(this.#cause ?? cause, force);
    return this.#stop;
  }

  /** Takes what the dialect understood. */
  emit(draft: EventDraft): void {
    this.recorder.emit(draft);
    if (draft.type === 'permission.requested')
      this.#consider({ kind: 'permission', request: draft });
    if (draft.type === 'question.requested') this.#consider({ kind: 'question', request: draft });
    if (draft.type === 'permission.resolved' || draft.type === 'question.resolved') {
      this.#unanswered.delete(draft.requestId);
      this.#settled.add(draft.requestId);
    }
  }

  /** The turn is over; the first word counts. */
  endTurn(verdict: Verdict): void {
    this.#turnOver = true;
    this.#turn.resolve(verdict);
  }

  /** Forgets what an agent left open that has failed and is about to be started again. */
  breakOff(): void {
    this.#unanswered.clear();
    this.recorder.breakOff('failed');
  }

  /** Begins another turn of the same run. */
  nextTurn(): void {
    this.spoken = undefined;
    this.#turnOver = false;
    this.#turn = Promise.withResolvers<Verdict>();
  }

  /** Refuses everything that is still waiting, because the run is being stopped. */
  refuseAll(): void {
    for (const pending of [...this.#unanswered.values()]) {
      const no = refusal(pending, 'The run is being stopped.', 'stop');
      const isDenial = 'decision' in no && no.decision === 'deny';
      this.#give(pending, isDenial ? { ...no, stop: true } : no);
    }
  }

  /** Ends the run as a whole. */
  finish(verdict: Verdict, end: Partial<StreamEnd>, stop: StopReport | undefined): void {
    if (this.recorder.ended) return;
    const { outcome, error } = this.#cause ?? this.#denial(verdict) ?? verdict;
    const result = this.recorder.complete({
      outcome,
      output: verdict.output,
      structured: verdict.structured,
      usage: verdict.usage,
      nativeSessionId: this.recorder.nativeSessionId,
      exitCode: end.code ?? undefined,
      signal: end.signal ?? undefined,
      error: outcome === 'done' ? undefined : error,
      stop,
    });
    this.queue.end();
    this.#ended.resolve(result);
  }

  /** A turn that ended because a person said no and stop was not interrupted: it failed for want of permission. */
  #denial({ outcome }: Verdict): StopCause | undefined {
    if (outcome === 'done' || this.#lastWord === undefined) return undefined;
    return { outcome: 'failed', error: errorInfo('permission_denied', this.#lastWord) };
  }

  #consider(pending: PendingRequest): void {
    const { permissionMode, cwd, protectedPaths, hooks } = this.#input;
    const { requestId } = pending.request;
    if (this.#unanswered.has(requestId)) return;
    this.#settled.delete(requestId);
    this.#unanswered.set(requestId, pending);
    if (this.#cause) return this.refuseAll();
    if (
      pending.kind === 'permission' &&
      allowedByMode(permissionMode, pending.request, { cwd, protectedPaths })
    ) {
      this.#allowedByMode.add(requestId);
      return this.#give(pending, { decision: 'allow', scope: 'once', by: 'policy' });
    }
    if (hooks.onRequest) return void this.#askHandler(pending, hooks.onRequest);
    if (this.#resultWanted) setImmediate(() => this.#denyUnattended());
  }

  async #askHandler(
    pending: PendingRequest,
    handler: NonNullable<RunHooks['onRequest']>,
  ): Promise<void> {
    const answer = await this.#handlerAnswer(pending, handler);
    if (!this.#unanswered.has(pending.request.requestId)) return;
    this.#give(pending, answer);
  }

  async #handlerAnswer(
    pending: PendingRequest,
    handler: NonNullable<RunHooks['onRequest']>,
  ): Promise<RequestAnswer> {
    try {
      const answer = await handler(pending);
      checkAnswer(pending, answer);
      return answer;
    } catch (error) {
      const reason = `The request handler failed: ${error instanceof Error ? error.message : String(error)}`;
      this.recorder.emit({
        type: 'notice',
        level: 'error',
        code: 'agent_warning',
        message: reason,
      });
      return refusal(pending, reason, 'policy');
    }
  }

  #denyUnattended(): void {
    if (this.queue.iterated || this.#input.hooks.onRequest) return;
    for (const pending of [...this.#unanswered.values()]) this.#give(pending, nobodyToAsk(pending));
  }

  #give(pending: PendingRequest, answer: RequestAnswer): void {
    const { requestId } = pending.request;
    this.#unanswered.delete(requestId);
    this.#settled.add(requestId);
    const answeredBy = answer.by ?? 'person';
    if (pending.kind === 'permission' && 'decision' in answer) {
      if (answer.decision === 'deny' && answer.stop) {
        this.#lastWord = answer.reason ?? 'Permission was denied, and the turn was to end.';
      }
      this.recorder.emit({
        type: 'permission.resolved',
        requestId,
        decision: answer.decision,
        scope: answer.decision === 'allow' ? (answer.scope ?? 'once') : undefined,
        by: answeredBy,
        reason: answer.decision === 'deny' ? answer.reason : undefined,
        ...editIn(pending.request, answer),
      });
    }
    if (pending.kind === 'question') {
      this.recorder.emit({
        type: 'question.resolved',
        requestId,
        answers: 'answers' in answer ? answer.answers : undefined,
        by: answeredBy,
        reason: 'declined' in answer ? answer.reason : undefined,
      });
    }
    this.#input.control.answer(requestId, answer);
  }
}

/** What an answer allows in place of what was asked for. */
function editIn({ tool, input }: PermissionRequest, answer: PermissionAnswer) {
  if (answer.decision !== 'allow' || answer.input === undefined) return {};
  if (isDeepStrictEqual(answer.input, input)) return {};
  return { input: answer.input, action: actionOf(tool, answer.input) };
}

function cancelled(reason: string): StopCause {
  return { outcome: 'cancelled', error: errorInfo('interrupted', reason) };
}

function abortReason(signal: AbortSignal): string {
  return signal.reason instanceof Error ? signal.reason.message : 'The run was cancelled.';
}
