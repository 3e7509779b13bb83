import {
  type AgentEvent,
  type AgentRun,
  BatonError,
  type Capabilities,
  type EventOf,
  type PendingRequest,
  pendingIn,
  type RequestAnswer,
  type RunOptions,
} from '@baton/protocol';
import {
  type BackendAdapter,
  type BackendEventResult,
  type ExecuteControls,
  eventResult,
  type StreamCallback,
  type WarningLog,
} from '@baton/runtime/contracts';
import { unsupportedOptions } from '@baton/runtime/internal';
import { RunLeft } from './run-left.ts';
import { WorkClock } from './work-clock.ts';

/** Asks the people in the chat. The signal aborts when the answer is no longer needed. */
export type AskInChat = (pending: PendingRequest, signal: AbortSignal) => Promise<RequestAnswer>;

export type StartRun = {
  prompt: string;
  options: RunOptions;
  /** The session to continue. */
  sessionId: string | undefined;
  signal: AbortSignal | undefined;
};

export type LaunchAdapterOptions = {
  /** The name under which sessions are kept. */
  name: string;
  label: string;
  capabilities: Capabilities;
  options: RunOptions;
  /** Time limit of the agent, not counting the time in which it waits for users; 0 for no limit. */
  timeoutMs: number;
  start(input: StartRun): Promise<{ run: AgentRun; sessionId?: string | undefined }>;
  isInstalled(): Promise<boolean>;
  ask: AskInChat;
  /** Aborts when this process leaves the run to a daemon. */
  left?: AbortSignal | undefined;
  /** Time limit for the daemon to stop a run; 15 seconds by default. */
  stopMs?: number | undefined;
  log: WarningLog;
};

const STOP_MS = 15_000;

/** Users stopped the run, and its daemon has not confirmed it. */
class StopUnconfirmed extends Error {}

/** An agent that can be asked about and can ask: any agent of Baton, in this process or through a daemon. */
export class LaunchAdapter implements BackendAdapter {
  #options: LaunchAdapterOptions;

  constructor(options: LaunchAdapterOptions) {
    this.#options = options;
  }

  name(): string {
    return this.#options.name;
  }

  validate(): Promise<boolean> {
    return this.#options.isInstalled();
  }

  /** Retries are left to the run itself, which knows when no tool was started. Rejects with `RunLeft` if it is left. */
  async execute(
    prompt: string,
    systemPrompt: string,
    sessionId?: string,
    onStream?: StreamCallback,
    controls: ExecuteControls = {},
  ): Promise<BackendEventResult> {
    const { onFailure, signal } = controls;
    const options = this.#supported({ ...this.#options.options, systemPrompt });
    let isStarted = false;
    try {
      const starting = this.#options.start({ prompt, options, sessionId, signal });
      const started = await this.#unlessGivenUp(starting, signal, 0);
      isStarted = true;
      const isTimedOut = await this.#follow(started.run, onStream, controls);
      const result = await started.run.result;
      const answer = {
        ...eventResult(result, ''),
        ...(started.sessionId === undefined ? {} : { sessionId: started.sessionId }),
      };
      if (!answer.isError) return answer;
      const { code, retryable = false } = result.error ?? {};
      const isTransient = isTimedOut || retryable;
      onFailure?.({ ...(code ? { code } : {}), isTransient, mayHaveActed: true });
      return isTimedOut ? { ...answer, responseText: 'Query timed out' } : answer;
    } catch (error) {
      // The daemon gets the stop when it answers again.
      if (error instanceof StopUnconfirmed) return { isError: true, responseText: 'Stopped' };
      if (!BatonError.is(error)) throw error;
      onFailure?.({ code: error.code, isTransient: error.retryable, mayHaveActed: isStarted });
      return { isError: true, responseText: `${error.message} ${error.hint}` };
    }
  }

  /** Reads a run to its end; true if it was stopped because the agent had worked for too long. */
  async #follow(
    run: AgentRun,
    onStream: StreamCallback | undefined,
    { onEvent, signal }: ExecuteControls,
  ): Promise<boolean> {
    let isTimedOut = false;
    const clock = new WorkClock(this.#options.timeoutMs, () => {
      isTimedOut = true;
      run.cancel('Query timed out').catch(() => {});
    });
    const asked = new Map<string, AbortController>();
    try {
      for await (const event of this.#eventsOf(run, signal)) {
        if (event.type === 'run.started') clock.start();
        if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
          asked.get(event.requestId)?.abort();
          asked.delete(event.requestId);
          if (asked.size === 0) clock.start();
        }
        await onEvent?.(event);
        const pending = pendingIn(event);
        if (pending) {
          clock.pause();
          this.#ask(run, pending, asked);
        }
        if (isAnswerText(event)) await onStream?.(event.text);
      }
      return isTimedOut;
    } finally {
      clock.pause();
      for (const settled of asked.values()) settled.abort();
    }
  }

  /** The events of a run. Not `for await` on the run itself: leaving that loop would stop a run that a daemon keeps. */
  async *#eventsOf(run: AgentRun, signal: AbortSignal | undefined): AsyncGenerator<AgentEvent> {
    const events = run[Symbol.asyncIterator]();
    let isGivenUp = false;
    try {
      for (;;) {
        const { stopMs = STOP_MS } = this.#options;
        const next = this.#unlessGivenUp(events.next(), signal, stopMs);
        const { value, done } = await next.catch((error) => {
          isGivenUp = true;
          throw error;
        });
        if (done) return;
        yield value;
      }
    } finally {
      if (!isGivenUp) await events.return?.();
    }
  }

  /**
   * Waits for something that a daemon does, which may not answer. Rejects with `RunLeft` as soon as this process leaves
   * the run, and with `StopUnconfirmed` some time after users stopped it.
   */
  async #unlessGivenUp<Value>(
    work: Promise<Value>,
    signal: AbortSignal | undefined,
    stopMs: number,
  ): Promise<Value> {
    const { left } = this.#options;
    if (!left) return work;
    const givenUp = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const leave = () => givenUp.reject(new RunLeft());
    const stop = () => {
      timer = setTimeout(() => givenUp.reject(new StopUnconfirmed()), stopMs);
    };
    left.addEventListener('abort', leave, { once: true });
    signal?.addEventListener('abort', stop, { once: true });
    if (left.aborted) leave();
    else if (signal?.aborted) stop();
    try {
      return await Promise.race([work, givenUp.promise]);
    } finally {
      clearTimeout(timer);
      left.removeEventListener('abort', leave);
      signal?.removeEventListener('abort', stop);
    }
  }

  #ask(run: AgentRun, pending: PendingRequest, asked: Map<string, AbortController>): void {
    const { requestId } = pending.request;
    const settled = new AbortController();
    asked.set(requestId, settled);
    const answer = async () => {
      const given = await this.#options.ask(pending, settled.signal);
      if (!settled.signal.aborted) await run.answer(requestId, given);
    };
    answer().catch((error: unknown) => {
      if (settled.signal.aborted) return;
      const reason = `The chat could not be asked: ${error instanceof Error ? error.message : error}`;
      this.#options.log.warn(reason);
      run.answer(requestId, refusal(pending, reason)).catch(() => {});
    });
  }

  /** Options that the agent lacks are ignored with a warning: the gateway has one configuration for all agents. */
  #supported(options: RunOptions): RunOptions {
    const { capabilities, label, log } = this.#options;
    // An agent that cannot ask must not run as if it could: the run is refused.
    const ignored = unsupportedOptions(capabilities, options).filter(
      (name) => name !== 'permissionMode',
    );
    for (const name of ignored) log.warn(`${label} does not support ${name}; it is ignored.`);
    const isIgnored = (key: string) => ignored.some((name) => name.split('.')[0] === key);
    return Object.fromEntries(Object.entries(options).filter(([key]) => !isIgnored(key)));
  }
}

function isAnswerText(event: AgentEvent): event is EventOf<'message.delta'> {
  return event.type === 'message.delta' && event.kind === 'text' && !event.parentId;
}

function refusal({ kind }: PendingRequest, reason: string): RequestAnswer {
  const by = 'nobody';
  return kind === 'permission' ? { decision: 'deny', reason, by } : { declined: true, reason, by };
}
