import {
  type AgentEvent,
  type AgentRun,
  type AnswerReceipt,
  BatonError,
  type EventOf,
  isTaskEvent,
  type LaunchRequest,
  type LogEvent,
  type PendingRequest,
  type RequestAnswer,
  type RunResult,
  type StopReport,
  type TaskRecord,
} from '@baton/protocol';
import type { BatonClient } from './baton-client.ts';
import type { FollowOptions } from './follow.ts';
import { giveAnswer } from './give-answer.ts';
import { patiently } from './patiently.ts';

type Hooks = Pick<LaunchRequest, 'onRequest' | 'signal'> & Pick<FollowOptions, 'onLine'>;

/** Who wanted a run to stop, and why, as far as that was said; without a user it was Baton itself. */
export type StopOrder = { by?: string | undefined; reason?: string | undefined };

/** The run of a task of a daemon. */
export class RemoteRun implements AgentRun {
  readonly runId: string;
  /** The task, as the daemon took it. */
  readonly task: TaskRecord;
  #client: BatonClient;
  #hooks: Hooks;
  #result: Promise<RunResult> | undefined;
  /** The last event, seen by whoever was the first to see it. */
  #end = Promise.withResolvers<EventOf<'run.completed'>>();
  /** Requests that somebody in this program was asked already. */
  #asked = new Set<string>();
  #isStopHeard = false;
  #isCancelled = false;
  #stopOrder: StopOrder | undefined;

  constructor(client: BatonClient, task: TaskRecord, hooks: Hooks = {}) {
    this.runId = task.task_id;
    this.task = task;
    this.#client = client;
    this.#hooks = hooks;
    // How the task ended is told by its result.
    const cancel = () => void this.cancel().catch(() => {});
    if (hooks.signal?.aborted) cancel();
    hooks.signal?.addEventListener('abort', cancel, { once: true });
    if (hooks.onRequest) void this.result;
  }

  get result(): Promise<RunResult> {
    this.#result ??= this.#untilEnd().then(resultOf, lost);
    return this.#result;
  }

  /** Whether the daemon knows that the run shall stop. */
  get isStopHeard(): boolean {
    return this.#isStopHeard;
  }

  /** Whether it was stopped through this object, before anybody else did. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** The stop that the daemon was asked for, once it was seen. */
  get stopOrder(): StopOrder | undefined {
    return this.#stopOrder;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for await (const event of this.#events(this.#hooks.onLine)) {
      if (event.type === 'run.completed') this.#end.resolve(event);
      yield event;
      if (event.type === 'run.completed') return;
    }
  }

  /** Settles a request; an answer that gets lost with the connection is given again. */
  async answer(requestId: string, answer: RequestAnswer): Promise<AnswerReceipt> {
    const { session_id, task_id, position } = this.task;
    const given = { session_id, task_id, request_id: requestId, answer };
    try {
      return await giveAnswer(this.#client, given, position);
    } catch (error) {
      if (BatonError.is(error) && error.code === 'not_found') return 'unknown';
      throw error;
    }
  }

  async steer(text: string): Promise<void> {
    const { session_id, task_id: taskId } = this.task;
    await this.#client.sessions.steerTask(session_id, { taskId, text });
  }

  /** Stops the run for certain: a daemon that does not answer is told so when it is back. */
  async cancel(reason?: string): Promise<StopReport> {
    const { session_id, task_id: taskId } = this.task;
    const requestedAt = Date.now();
    this.#isCancelled ||= this.#stopOrder === undefined;
    const stop = { taskId, reason };
    await patiently(
      () => this.#client.sessions.stopTask(session_id, stop),
      this.#client.connection.closed,
    );
    this.#isStopHeard = true;
    void this.result;
    const { stop: report } = await this.#end.promise;
    // It waited, or had ended already: there was nothing to stop.
    return report ?? { state: 'stopped', requestedAt, stoppedAt: Date.now(), steps: [], killed: 0 };
  }

  #untilEnd(): Promise<EventOf<'run.completed'>> {
    this.#watch().catch((error) => this.#end.reject(error));
    return this.#end.promise;
  }

  /** Asks what there is to ask, until the end. */
  async #watch(): Promise<void> {
    for await (const event of this.#events()) {
      if (event.type === 'permission.requested' || event.type === 'question.requested') {
        // Whoever is asked may fail: then the request waits for somebody else.
        this.#ask(event).catch(() => {});
      }
      if (event.type === 'run.completed') return this.#end.resolve(event);
    }
  }

  async *#events(onLine?: FollowOptions['onLine']): AsyncGenerator<AgentEvent> {
    const { session_id, task_id, position: after } = this.task;
    for await (const event of this.#client.follow(session_id, { after, onLine })) {
      if (!('taskId' in event) || event.taskId !== task_id) continue;
      if (event.type === 'stop.requested') this.#stopOrder = { by: event.by, reason: event.reason };
      if (isTaskEvent(event)) yield plain(event);
    }
  }

  async #ask(event: EventOf<'permission.requested'> | EventOf<'question.requested'>) {
    if (!this.#hooks.onRequest || this.#asked.has(event.requestId)) return;
    this.#asked.add(event.requestId);
    const pending = {
      kind: event.type === 'permission.requested' ? 'permission' : 'question',
      request: event,
    } as PendingRequest;
    await this.answer(event.requestId, await this.#hooks.onRequest(pending));
  }
}

function resultOf(event: EventOf<'run.completed'>): RunResult {
  const { seq: _seq, time: _time, runId: _run, type: _type, ...result } = event;
  return result;
}

/** How a run ended of which nothing more can be heard. */
function lost(error: unknown): RunResult {
  const known = BatonError.is(error) ? error : new BatonError('internal', String(error));
  return { outcome: 'failed', output: '', durationMs: 0, error: known.toJSON() };
}

/** An event as the run itself said it. */
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
