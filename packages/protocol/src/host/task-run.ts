import {
  type AgentRun,
  type AnswerReceipt,
  ignorable,
  type PendingRequest,
  type RequestHandler,
  type RunControls,
  timeoutAnswer,
} from '../agent-run.ts';
import { BatonError, errorInfo } from '../error.ts';
import type { AgentEvent, EventOf } from '../event.ts';
import { isWorkspaceEvent } from '../is-workspace-event.ts';
import { longTimer } from '../long-timer.ts';
import type { ParseOutput } from '../output-schema.ts';
import type { RequestAnswer } from '../permission.ts';
import type { RunResult } from '../run-result.ts';
import { serverSentEvents, textOf } from '../run-streams.ts';
import { isTaskEvent } from '../session/is-task-event.ts';
import type { LogEvent } from '../session/session-event.ts';
import type { StopReport } from '../stop.ts';
import type { WorkspaceEvent } from './host.ts';

export type ConnectionListener = (state: 'lost' | 'back') => void;

/** The task of a run: its ids, and the cursor of its prompt in the log of its session. */
export type TaskPlace = { session_id: string; task_id: string; position: number };

/** The log that has the events of a run, and the ways to act on the run. */
export interface RunLog {
  /** Yields the events of the session after a cursor, each once and in order, until the signal aborts. */
  follow(
    sessionId: string,
    options: {
      after: number;
      signal?: AbortSignal | undefined;
      onConnection?: ConnectionListener | undefined;
    },
  ): AsyncIterable<LogEvent>;
  /** Answers a request; rejects with `not_found` if the task has no such request. */
  answer(
    task: TaskPlace,
    given: { requestId: string; answer: RequestAnswer },
  ): Promise<'accepted' | 'late'>;
  steer(task: TaskPlace, text: string): Promise<unknown>;
  /** Requests the stop of the run; settles when the request is stored. */
  stop(task: TaskPlace, reason: string | undefined): Promise<unknown>;
}

export type TaskRunHooks = RunControls & {
  onConnection?: ConnectionListener | undefined;
  /** Called once with each event about the workspace of the run. */
  onWorkspace?: ((event: WorkspaceEvent) => void) | undefined;
  /** True if another program launched the run: it continues when this one stops following it. */
  isJoined?: boolean | undefined;
  /** Parses the structured answer with the library of the output schema. */
  parse?: ParseOutput | undefined;
};

/** User who requested the stop and their reason, if known; without a user, Baton requested it. */
export type StopOrder = { by?: string | undefined; reason?: string | undefined };

type AskedRequest = {
  /** Aborts when the answer is no longer needed; only while the handler has not answered. */
  settled?: AbortController | undefined;
  timer?: ReturnType<typeof setTimeout> | undefined;
};

/** The run of a task that a host keeps, read from the log of its session. */
export class TaskRun<Structured = unknown> implements AgentRun<Structured> {
  readonly runId: string;
  #place: TaskPlace;
  #log: RunLog;
  #hooks: TaskRunHooks;
  /** Aborts when this program stops following the run. */
  #left = new AbortController();
  #result: Promise<RunResult<Structured>> | undefined;
  /** The last event, from the first consumer that saw it. */
  #end = Promise.withResolvers<EventOf<'run.completed'>>();
  /** The way in which the caller consumes the events. */
  #consumer: 'iterator' | 'collect' | undefined;
  /** Requests that this program answers. */
  #asked = new Map<string, AskedRequest>();
  /** The cursor of the last event about the workspace that the caller got. */
  #workspaceSeen = 0;
  #isStopHeard = false;
  #isCancelled = false;
  #stopOrder: StopOrder | undefined;

  constructor(log: RunLog, place: TaskPlace, hooks: TaskRunHooks = {}) {
    this.runId = place.task_id;
    this.#place = place;
    this.#log = log;
    this.#hooks = hooks;
    // The result contains the outcome of the task.
    const cancel = () => void this.cancel();
    if (hooks.signal?.aborted) cancel();
    hooks.signal?.addEventListener('abort', cancel, { once: true });
    const release = () => hooks.signal?.removeEventListener('abort', cancel);
    this.#end.promise.then(release, release);
    if (hooks.onRequest || hooks.requests) void this.result;
  }

  get result(): Promise<RunResult<Structured>> {
    this.#result ??= this.#untilEnd().then((end) => this.#resultOf(end), lost);
    return this.#result;
  }

  /** Stops following the run, which continues. Its events end, and its result is that of a lost run. */
  leave(): void {
    this.#left.abort();
    this.#end.reject(new BatonError('interrupted', 'This program no longer follows the run.'));
    this.#end.promise.catch(() => {});
  }

  /** True once the host has received the stop request. */
  get isStopHeard(): boolean {
    return this.#isStopHeard;
  }

  /** True if this object was the first to request the stop. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** The stop request, once its event was seen. */
  get stopOrder(): StopOrder | undefined {
    return this.#stopOrder;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    this.#consume('iterator');
    const left = new AbortController();
    const events = this.#events({ onConnection: this.#hooks.onConnection, signal: left.signal });
    let isOver = false;
    // Not a generator: leaving one that awaits the next event would block until that event.
    return {
      next: async () => {
        if (isOver) return { value: undefined, done: true };
        const { value: event, done } = await events.next();
        if (done) return { value: undefined, done: true };
        if (event.type === 'run.completed') {
          isOver = true;
          left.abort();
          this.#end.resolve(event);
        }
        return { value: event, done: false };
      },
      return: async () => {
        left.abort();
        const continues = isOver || this.#left.signal.aborted || this.#hooks.isJoined === true;
        if (!continues) await this.cancel('The consumer stopped reading.').catch(() => {});
        return { value: undefined, done: true };
      },
    };
  }

  /** Waits for the end; requests are passed to `onRequest`, or wait for the users of the host. */
  collect(): Promise<RunResult<Structured>> {
    return ignorable(this.#collect());
  }

  async #collect(): Promise<RunResult<Structured>> {
    if (this.#consumer !== 'collect') this.#consume('collect');
    return this.result;
  }

  text(): AsyncIterableIterator<string> {
    return textOf(this[Symbol.asyncIterator]());
  }

  toSSE(): ReadableStream<Uint8Array> {
    return serverSentEvents(this[Symbol.asyncIterator]());
  }

  /** Answers a request; an answer that is lost with the connection is sent again. */
  answer(requestId: string, answer: RequestAnswer): Promise<AnswerReceipt> {
    return ignorable(this.#answer(requestId, answer));
  }

  async #answer(requestId: string, answer: RequestAnswer): Promise<AnswerReceipt> {
    try {
      return await this.#log.answer(this.#place, { requestId, answer });
    } catch (error) {
      if (BatonError.is(error) && error.code === 'not_found') return 'unknown';
      throw error;
    }
  }

  steer(text: string): Promise<void> {
    return ignorable(this.#log.steer(this.#place, text).then(() => {}));
  }

  /** Stops the run; retries until the host has received the request. */
  cancel(reason?: string): Promise<StopReport> {
    return ignorable(this.#cancel(reason));
  }

  async #cancel(reason: string | undefined): Promise<StopReport> {
    const requestedAt = Date.now();
    this.#isCancelled ||= this.#stopOrder === undefined;
    await this.#log.stop(this.#place, reason);
    this.#isStopHeard = true;
    void this.result;
    const { stop: report } = await this.#end.promise;
    // It was queued or had already ended: there was nothing to stop.
    return report ?? { state: 'stopped', requestedAt, stoppedAt: Date.now(), steps: [], killed: 0 };
  }

  #consume(consumer: 'iterator' | 'collect'): void {
    if (this.#consumer !== undefined) {
      const words =
        this.#consumer === 'collect'
          ? 'The run was collected, so its events were discarded.'
          : 'The events of a run can be consumed only once.';
      throw new BatonError('usage', words, {
        hint: 'Store the events if you need them again; run.result can be awaited any number of times.',
      });
    }
    this.#consumer = consumer;
  }

  #untilEnd(): Promise<EventOf<'run.completed'>> {
    this.#watch().catch((error) => this.#end.reject(error));
    return this.#end.promise;
  }

  /** Passes requests to the handler until the end. */
  async #watch(): Promise<void> {
    // The consumer of the events gets the error there.
    const onConnection = (state: 'lost' | 'back') => {
      if (this.#consumer !== 'iterator') this.#hooks.onConnection?.(state);
    };
    try {
      for await (const event of this.#events({ onConnection })) {
        if (event.type === 'permission.requested')
          this.#ask({ kind: 'permission', request: event });
        if (event.type === 'question.requested') this.#ask({ kind: 'question', request: event });
        if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
          this.#callOff(event.requestId);
        }
        if (event.type === 'run.completed') return this.#end.resolve(event);
      }
    } finally {
      for (const requestId of [...this.#asked.keys()]) this.#callOff(requestId);
    }
  }

  async *#events({
    onConnection,
    signal,
  }: {
    onConnection?: ConnectionListener | undefined;
    signal?: AbortSignal;
  } = {}): AsyncGenerator<AgentEvent, undefined> {
    const { session_id, task_id, position: after } = this.#place;
    // The events of a run are numbered without those about its workspace.
    let others = 0;
    const left = this.#left.signal;
    const ending = signal ? AbortSignal.any([left, signal]) : left;
    for await (const event of this.#log.follow(session_id, {
      after,
      onConnection,
      signal: ending,
    })) {
      if (!('taskId' in event) || event.taskId !== task_id) continue;
      if (event.type === 'stop.requested') this.#stopOrder = { by: event.by, reason: event.reason };
      if (event.type === 'answer.given') this.#callOff(event.requestId);
      if (!isTaskEvent(event)) continue;
      const said = plain(event);
      if (!isWorkspaceEvent(said)) {
        yield { ...said, seq: said.seq - others };
        continue;
      }
      others += 1;
      this.#tellWorkspace(said, event.cursor);
    }
  }

  /** Passes an event on once, although the log may be read twice. */
  #tellWorkspace(event: AgentEvent, cursor: number): void {
    if (cursor <= this.#workspaceSeen) return;
    this.#workspaceSeen = cursor;
    const { seq: _seq, time: _time, runId: _run, ...body } = event;
    this.#hooks.onWorkspace?.(body as WorkspaceEvent);
  }

  #ask(pending: PendingRequest): void {
    const { onRequest, requests } = this.#hooks;
    const { requestId } = pending.request;
    const asked: AskedRequest = {};
    this.#asked.set(requestId, asked);
    if (requests) {
      const giveUp = () => {
        this.#callOff(requestId);
        void this.answer(requestId, timeoutAnswer(pending, requests));
      };
      asked.timer = longTimer(giveUp, requests.timeoutMs);
    }
    if (onRequest) void this.#askHandler(pending, asked, onRequest);
  }

  async #askHandler(
    pending: PendingRequest,
    asked: AskedRequest,
    handler: RequestHandler,
  ): Promise<void> {
    const settled = new AbortController();
    asked.settled = settled;
    try {
      const answer = await handler(pending, { signal: settled.signal });
      asked.settled = undefined;
      if (!settled.signal.aborted) await this.#answer(pending.request.requestId, answer);
    } catch {
      // The request waits for its timeout, or for another user.
    }
  }

  /** Aborts the handler of a request that no longer needs an answer. */
  #callOff(requestId: string): void {
    const asked = this.#asked.get(requestId);
    this.#asked.delete(requestId);
    clearTimeout(asked?.timer);
    asked?.settled?.abort();
  }

  async #resultOf(event: EventOf<'run.completed'>): Promise<RunResult<Structured>> {
    const { seq: _seq, time: _time, runId: _run, type: _type, ...result } = event;
    const { parse } = this.#hooks;
    if (!parse || result.outcome !== 'done') return result as RunResult<Structured>;
    const parsed = await parse(result.structured);
    if (parsed.ok) return { ...result, structured: parsed.value as Structured };
    const error = errorInfo('schema_mismatch', parsed.problem);
    return { ...result, structured: undefined, outcome: 'failed', error };
  }
}

/** The result of a run that can no longer be followed. */
function lost(error: unknown): RunResult<never> {
  const known = BatonError.is(error) ? error : new BatonError('internal', String(error));
  return { outcome: 'failed', output: '', durationMs: 0, error: known.toJSON() };
}

/** An event as the run emitted it. */
function plain(event: LogEvent & AgentEvent): AgentEvent {
  const {
    cursor: _cursor,
    taskId: _task,
    ...said
  } = event as AgentEvent & {
    cursor: number;
    taskId: string;
  };
  return said as AgentEvent;
}
