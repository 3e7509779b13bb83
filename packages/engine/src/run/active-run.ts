import { isDeepStrictEqual } from 'node:util';
import {
  type AgentEvent,
  BatonError,
  type ErrorInfo,
  errorInfo,
  ignorable,
  isWider,
  longTimer,
  type Outcome,
  type PermissionAnswer,
  type PermissionMode,
  type PermissionRequest,
  type RequestAnswer,
  type RequestHandler,
  type RunResult,
  type StopReport,
  serverSentEvents,
  textOf,
  timeoutAnswer,
} from '@baton/protocol/values';
import type { AgentRun, AnswerReceipt, PendingRequest, RunHooks } from '../definition/backend.ts';
import type { EventDraft, StreamEnd, Verdict } from '../definition/dialect.ts';
import { actionOf } from '../normalize/actions.ts';
import { checkAnswer } from './check-answer.ts';
import { denial, denyUnattended } from './deny-request.ts';
import { EventQueue } from './event-queue.ts';
import { allowedByMode } from './permission-policy.ts';
import { Recorder } from './recorder.ts';

/** Reason for stopping a run, and the outcome that it will have. */
export type StopCause = { outcome: Outcome; error: ErrorInfo };

/** Actions of a run on the conversation it belongs to. */
type RunControl = {
  answer(requestId: string, answer: RequestAnswer): void;
  steer(text: string): void;
  /** Stops the run, at once when it is forced. */
  stop(cause: StopCause, force: boolean): Promise<StopReport>;
};

type ActiveRunInput = {
  runId: string;
  hooks: RunHooks;
  permissionMode: PermissionMode;
  cwd: string;
  protectedPaths?: readonly string[] | undefined;
  control: RunControl;
};

/** A request that waits for its answer. */
type OpenRequest = {
  pending: PendingRequest;
  /** Aborts when the answer is no longer needed, for the handler. */
  settled: AbortController;
  timer?: NodeJS.Timeout | undefined;
};

/** Handle of a run in progress, which also settles its requests. */
export class ActiveRun implements AgentRun {
  readonly runId: string;
  readonly recorder: Recorder;
  readonly queue = new EventQueue();
  /** Called when backpressure on the agent's output starts or ends. */
  onPressure: (held: boolean) => void = () => {};
  /** Called when the run starts or stops waiting for its reader. */
  onStalled: (isStalled: boolean) => void = () => {};
  /** The structured answer as its schema parsed it, where that differs from what the agent said. */
  parsed: { value: unknown } | undefined;
  /** The agent's last verdict on its turn, before the run as a whole has ended. */
  spoken: Verdict | undefined;
  #input: ActiveRunInput;
  #mode: PermissionMode;
  #turn = Promise.withResolvers<Verdict>();
  #turnOver = false;
  #ended = Promise.withResolvers<RunResult>();
  #settled = new Set<string>();
  #allowedByMode = new Set<string>();
  #open = new Map<string, OpenRequest>();
  /** True if the consumer sees no requests, so that they cannot be answered. */
  #unattended = false;
  #isStalled = false;
  #stop: Promise<StopReport> | undefined;
  #cause: StopCause | undefined;
  /** Reason for a denial that also stops the turn. */
  #lastWord: string | undefined;
  #cancelled = false;

  constructor(input: ActiveRunInput) {
    this.runId = input.runId;
    this.#input = input;
    this.#mode = input.permissionMode;
    this.recorder = new Recorder(input.runId, (event) => this.queue.push(event));
    this.queue.onPressure = (held) => {
      this.onPressure(held);
      this.#checkStalled();
    };
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
    const events = this.queue[Symbol.asyncIterator]();
    this.#checkStalled();
    return events;
  }

  collect(): Promise<RunResult> {
    return ignorable(this.#collect());
  }

  async #collect(): Promise<RunResult> {
    this.queue.discard();
    this.#leaveUnattended();
    return this.result;
  }

  text(): AsyncIterableIterator<string> {
    const events = this[Symbol.asyncIterator]();
    this.#leaveUnattended();
    return textOf(events);
  }

  toSSE(): ReadableStream<Uint8Array> {
    return serverSentEvents(this[Symbol.asyncIterator]());
  }

  answer(requestId: string, answer: RequestAnswer): Promise<AnswerReceipt> {
    return ignorable(this.#answer(requestId, answer));
  }

  async #answer(requestId: string, answer: RequestAnswer): Promise<AnswerReceipt> {
    const open = this.#open.get(requestId);
    if (open) {
      checkAnswer(open.pending, answer);
      this.#give(open, answer);
      return 'accepted';
    }
    if (!this.#settled.has(requestId)) return 'unknown';
    // A caller that answers every request cannot know which ones the permission mode has allowed.
    if (this.#allowedByMode.has(requestId)) return 'late';
    this.recorder.emit({
      type: 'notice',
      level: 'warning',
      code: 'late_answer',
      message: `Late answer: request ${requestId} was already settled.`,
    });
    return 'late';
  }

  steer(text: string): Promise<void> {
    return ignorable(this.#steer(text));
  }

  async #steer(text: string): Promise<void> {
    if (this.#turnOver) {
      throw new BatonError('usage', 'The agent has finished and can no longer be steered.', {
        hint: 'Send it as another prompt.',
      });
    }
    this.#input.control.steer(text);
    this.recorder.emit({ type: 'notice', level: 'info', code: 'steered', message: text });
  }

  /** Lets the agent do more without asking from now on, and allows the open requests that the mode covers. */
  widen(mode: PermissionMode): void {
    if (!isWider(mode, this.#mode) || this.#cause || this.recorder.ended) return;
    this.#mode = mode;
    this.recorder.emit({
      type: 'notice',
      level: 'info',
      code: 'mode_widened',
      message: `Permission mode "${mode}" applies from here.`,
      data: { permissionMode: mode },
    });
    for (const open of [...this.#open.values()]) this.#allowByMode(open);
  }

  cancel(reason = 'The run was cancelled.'): Promise<StopReport> {
    const again = this.#cancelled;
    this.#cancelled = true;
    return ignorable(this.stop(cancelled(reason), again));
  }

  /** Stops the run for the given cause; the first cause wins. */
  stop(cause: StopCause, force = false): Promise<StopReport> {
    if (!this.recorder.ended && !this.#cause) {
      this.#cause = cause;
      this.recorder.stopTools();
    }
    this.#stop = this.#input.control.stop(this.#cause ?? cause, force);
    return this.#stop;
  }

  /** Called by the dialect for each event. */
  emit(draft: EventDraft): void {
    this.recorder.emit(draft);
    if (draft.type === 'permission.requested')
      this.#consider({ kind: 'permission', request: draft });
    if (draft.type === 'question.requested') this.#consider({ kind: 'question', request: draft });
    if (draft.type === 'permission.resolved' || draft.type === 'question.resolved') {
      this.#settle(draft.requestId);
    }
  }

  /** Ends the turn; only the first call has an effect. */
  endTurn(verdict: Verdict): void {
    this.#turnOver = true;
    this.#turn.resolve(verdict);
  }

  /** Closes what a failed agent left open, before it is started again. */
  breakOff(): void {
    for (const requestId of [...this.#open.keys()]) this.#settle(requestId);
    this.recorder.breakOff('failed');
  }

  /** Begins another turn of the same run. */
  nextTurn(): void {
    this.spoken = undefined;
    this.#turnOver = false;
    this.#turn = Promise.withResolvers<Verdict>();
  }

  /** Denies all pending requests, because the run is being stopped. */
  refuseAll(): void {
    for (const open of [...this.#open.values()]) {
      const no = denial(open.pending, 'The run is being stopped.', 'stop');
      const isDenial = 'decision' in no && no.decision === 'deny';
      this.#give(open, isDenial ? { ...no, stop: true } : no);
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
    for (const requestId of [...this.#open.keys()]) this.#settle(requestId);
    this.queue.end();
    this.#ended.resolve(this.parsed ? { ...result, structured: this.parsed.value } : result);
  }

  /**
   * The result of a turn that a person ended with a denial: it failed with `permission_denied`, it was not interrupted.
   */
  #denial({ outcome }: Verdict): StopCause | undefined {
    if (outcome === 'done' || this.#lastWord === undefined) return undefined;
    return { outcome: 'failed', error: errorInfo('permission_denied', this.#lastWord) };
  }

  #consider(pending: PendingRequest): void {
    const { requestId } = pending.request;
    if (this.#open.has(requestId)) return;
    const open: OpenRequest = { pending, settled: new AbortController() };
    this.#settled.delete(requestId);
    this.#open.set(requestId, open);
    if (this.#cause) return this.refuseAll();
    if (this.#allowByMode(open)) return;
    const { onRequest, requests } = this.#input.hooks;
    if (this.#unattended && !this.#isHandled) return this.#give(open, denyUnattended(pending));
    if (requests) {
      const giveUp = () => this.#give(open, timeoutAnswer(pending, requests));
      open.timer = longTimer(giveUp, requests.timeoutMs);
    }
    if (onRequest) void this.#askHandler(open, onRequest);
    this.#checkStalled();
  }

  /** Allows a request that the permission mode covers; false for any other. */
  #allowByMode(open: OpenRequest): boolean {
    const { kind, request } = open.pending;
    if (kind !== 'permission' || !allowedByMode(this.#mode, request, this.#input)) return false;
    this.#allowedByMode.add(request.requestId);
    this.#give(open, { decision: 'allow', scope: 'once', by: 'policy' });
    return true;
  }

  /** True if hooks settle the requests, without a reader of the events. */
  get #isHandled(): boolean {
    const { onRequest, requests } = this.#input.hooks;
    return onRequest !== undefined || requests !== undefined;
  }

  /** The consumer of this run sees no requests. */
  #leaveUnattended(): void {
    this.#unattended = true;
    this.#checkStalled();
    if (this.#isHandled) return;
    for (const open of [...this.#open.values()]) this.#give(open, denyUnattended(open.pending));
  }

  /** A run also waits for its consumer when a request is pending and the reading has not started. */
  #checkStalled(): void {
    const isUnheard = !this.queue.claimed && !this.#isHandled && this.#open.size > 0;
    const isStalled = this.queue.held || isUnheard;
    if (isStalled === this.#isStalled) return;
    this.#isStalled = isStalled;
    this.onStalled(isStalled);
  }

  async #askHandler(open: OpenRequest, handler: RequestHandler): Promise<void> {
    const answer = await this.#handlerAnswer(open, handler);
    if (answer) this.#give(open, answer);
  }

  /** Resolves to undefined if the request was settled meanwhile. */
  async #handlerAnswer(
    { pending, settled: { signal } }: OpenRequest,
    handler: RequestHandler,
  ): Promise<RequestAnswer | undefined> {
    try {
      const answer = await handler(pending, { signal });
      if (signal.aborted) return undefined;
      checkAnswer(pending, answer);
      // It has answered: from here on there is nothing to call off.
      this.#close(pending.request.requestId);
      return answer;
    } catch (error) {
      if (signal.aborted) return undefined;
      const reason = `The request handler failed: ${error instanceof Error ? error.message : String(error)}`;
      this.recorder.emit({
        type: 'notice',
        level: 'error',
        code: 'agent_warning',
        message: reason,
      });
      return denial(pending, reason, 'policy');
    }
  }

  /** Aborts a pending question: the request no longer needs an answer. */
  #settle(requestId: string): void {
    this.#close(requestId)?.settled.abort();
  }

  #close(requestId: string): OpenRequest | undefined {
    const open = this.#open.get(requestId);
    this.#open.delete(requestId);
    this.#settled.add(requestId);
    clearTimeout(open?.timer);
    this.#checkStalled();
    return open;
  }

  #give({ pending }: OpenRequest, answer: RequestAnswer): void {
    const { requestId } = pending.request;
    this.#settle(requestId);
    const answeredBy = answer.by ?? 'person';
    if (pending.kind === 'permission' && 'decision' in answer) {
      if (answer.decision === 'deny' && answer.stop) {
        this.#lastWord = answer.reason ?? 'Permission was denied and the turn was stopped.';
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

/** Returns the input and action that an answer allows in place of the requested ones. */
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
