import { type Json, object, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectOut,
  PromptInput,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import {
  type RpcError,
  type RpcId,
  type RpcResponse,
  readRpcMessage,
} from '@baton/engine/kit/json-rpc';
import { agentWarning } from '@baton/engine/kit/notices';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { type ErrorInfo, errorInfo, type RequestAnswer, type Usage } from '@baton/protocol/values';
import {
  codexError,
  emptyTurnWarning,
  interruptedError,
  judgeCodexEnd,
} from '../../dialects/codex-jsonl/errors.ts';
import { AppServerClient, type ThreadRequest } from './app-server-client.ts';
import { AppServerEvents } from './app-server-events.ts';
import type { Place } from './thread-items.ts';

/** Requests to send before the first prompt, and parameters for every turn. */
export type AppServerOptions = {
  cwd: string;
  thread: ThreadRequest;
  /** Parameters of every turn besides its input. */
  turn: Json;
  /** A key to log in with, for this process only. */
  apiKey?: string | undefined;
  /** Returns an error if the run cannot use the thread's model. */
  checkModel?(model: string): ErrorInfo | undefined;
};

/** True if a line can only come from an app server. */
export function isAppServerLine(line: string): boolean {
  return readRpcMessage(line) !== undefined;
}

/** Speaks with `codex app-server`; without options it only reads a recording. */
export class AppServerDialect implements Dialect {
  #out: DialectOut;
  #options: AppServerOptions | undefined;
  #client: AppServerClient;
  #events: AppServerEvents;
  #facts: { version?: string | undefined; model?: string | undefined } = {};
  #failure: ErrorInfo | undefined;
  /** A prompt that came before there was a thread. */
  #queued: PromptInput | undefined;
  #turn: RunTurn;
  #everEnded = false;
  #understood = false;

  constructor(out: DialectOut, options?: AppServerOptions) {
    this.#out = out;
    this.#options = options;
    this.#client = new AppServerClient({
      write: (frame) => out.write(frame),
      onNotification: (method, params, line) => this.#notified(method, params, line),
      onRequest: (id, method, params) => this.#requested(id, method, params),
      onUnmatchedResponse: (response) => this.#recordedResponse(response),
    });
    this.#turn = new RunTurn({
      steer: (place, text) => this.#steer(place, text),
      // An interrupt that comes too late is none.
      interrupt: (place) => this.#client.interrupt(place, { onError: () => {} }),
    });
    const isRecording = options === undefined;
    this.#events = new AppServerEvents(out, { isRecording });
  }

  open(): void {
    this.#client.initialize({
      onResult: (result) => {
        this.#readVersion(result);
        this.#handshakeDone();
      },
      onError: (error) => this.#setupFailed(error),
    });
  }

  prompt(prompt: PromptInput): void {
    if (this.#failure) return this.#complete({ outcome: 'failed', error: this.#failure });
    this.#queued = prompt;
    this.#startTurn();
  }

  line(line: string): void {
    if (this.#client.receive(line)) this.#understood = true;
    else strayLine(line, this.#out.emit);
  }

  answer(requestId: string, answer: RequestAnswer): void {
    const reply = this.#events.requests.answer(requestId, answer);
    if (!reply) return;
    if (reply.stops) this.#turn.refused = true;
    // Before the refusal, so that the model reads both at once.
    if (reply.reason) this.#steer(reply.place, `Denied: ${reply.reason}`);
    // Before the refusal too: a model that reads it first may answer before it is stopped.
    if (reply.interrupts) this.#turn.interrupt();
    this.#client.respond(reply.rpcId, reply.result);
    const { written: message } = reply;
    if (message) this.#out.emit({ type: 'notice', level: 'info', code: 'config_written', message });
  }

  steer(text: string): void {
    this.#turn.steer(text);
  }

  interrupt(): boolean {
    if (this.#turn.interrupt()) return true;
    if (!this.#queued) return false;
    this.#complete({ outcome: 'cancelled', error: interruptedError() });
    return true;
  }

  end(end: StreamEnd): Verdict | undefined {
    if (!this.#turn.isOpen && !this.#queued && this.#everEnded) return undefined;
    const { lastError, usage } = this.#events;
    const verdict = judgeCodexEnd(end, {
      understood: this.#understood,
      program: 'app-server',
      isInTurn: this.#turn.isOpen,
      lastError: this.#failure ?? lastError,
    });
    return { ...verdict, usage };
  }

  /** Codex answers requests side by side, so a thread must not be asked for before the login is done. */
  #handshakeDone(): void {
    this.#client.initialized();
    const apiKey = this.#options?.apiKey;
    if (!apiKey) return this.#openThread();
    this.#client.login(apiKey, {
      onResult: () => this.#openThread(),
      onError: (error) => this.#setupFailed(error),
    });
  }

  #openThread(): void {
    if (!this.#options) return;
    this.#client.openThread(this.#options.thread, {
      onResult: (result) => this.#threadOpened(result),
      onError: (error) => this.#setupFailed(error),
    });
  }

  #threadOpened(result: Json): void {
    const threadId = string(object(result.thread).id);
    // Only the answers to start, resume and fork name the model beside the thread.
    if (threadId === undefined || typeof result.model !== 'string') return;
    this.#facts.model = result.model;
    this.#events.threads.main = threadId;
    this.#identify();
    const problem = this.#options?.checkModel?.(result.model);
    if (problem) return this.#refuse(problem);
    this.#startTurn();
  }

  /** Without a thread this prompt and every later one fails. */
  #setupFailed({ message }: RpcError): void {
    this.#refuse(codexError(message));
  }

  #refuse(failure: ErrorInfo): void {
    this.#failure = failure;
    if (this.#queued) this.#complete({ outcome: 'failed', error: this.#failure });
  }

  /** A recording has responses but no requests; the fields of a response show which request it answers. */
  #recordedResponse(response: RpcResponse): void {
    if (response.kind === 'error') return this.#warn(response.error.message);
    this.#readVersion(response.result);
    this.#threadOpened(response.result);
  }

  #readVersion({ userAgent }: Json): void {
    const version = /^[^/]*\/(\S+)/.exec(string(userAgent) ?? '')?.[1];
    if (version) this.#facts.version = version;
  }

  #steer(place: Place, text: string): void {
    this.#client.steer(place, text, {
      onError: ({ message }) => this.#warn(`Codex rejected the steering message: ${message}`),
    });
  }

  #requested(id: RpcId, method: string, params: Json): boolean {
    const reply = this.#events.request(id, method, params);
    if (reply === 'pending') return true;
    if (reply === 'unknown') {
      this.#warn(`Codex sent an unsupported request: ${method}`);
      return false;
    }
    this.#client.respond(reply.rpcId, reply.result);
    return true;
  }

  #notified(method: string, params: Json, line: string): void {
    const { threads } = this.#events;
    if (method === 'thread/started' && threads.main === undefined) {
      threads.main = string(object(params.thread).id);
      this.#identify();
    }
    const isOurs = method.startsWith('turn/') && threads.isMain(params) && this.#isOurs(params);
    if (isOurs && method === 'turn/started') this.#turnStarted(object(params.turn));
    if (!this.#events.notification(method, params)) {
      this.#out.emit({ type: 'unparsed', source: 'stdout', line });
    }
    if (isOurs && method === 'turn/completed') this.#turnCompleted(object(params.turn));
  }

  #startTurn(): void {
    const threadId = this.#events.threads.main;
    const prompt = this.#queued;
    if (!this.#options || threadId === undefined || !prompt) return;
    this.#queued = undefined;
    this.#turn.requested(threadId);
    this.#events.beginTurn();
    this.#identify();
    const { cwd, turn } = this.#options;
    this.#client.startTurn({ ...turn, threadId }, prompt, cwd, {
      onResult: (result) => this.#turn.named(string(object(result.turn).id)),
      onError: ({ message }) => this.#complete({ outcome: 'failed', error: codexError(message) }),
    });
  }

  #turnStarted({ id }: Json): void {
    if (!this.#options) this.#events.beginTurn();
    this.#turn.started(this.#events.threads.main ?? '', string(id));
  }

  #turnCompleted(turn: Json): void {
    const { usage, hasContent } = this.#events;
    const verdict = turnVerdict(turn, { usage, refused: this.#turn.refused });
    if (verdict.outcome === 'done' && !hasContent) this.#out.emit(emptyTurnWarning());
    this.#complete(verdict);
  }

  #complete(verdict: Verdict): void {
    this.#events.endTurn(verdict.outcome === 'done');
    this.#turn.ended();
    this.#queued = undefined;
    this.#everEnded = true;
    this.#out.complete(verdict);
  }

  #identify(): void {
    const nativeSessionId = this.#events.threads.main;
    if (nativeSessionId === undefined) return;
    this.#out.emit({ type: 'run.identified', nativeSessionId, ...this.#facts });
  }

  #warn(message: string): void {
    this.#out.emit(agentWarning(message));
  }

  /** In a recording every turn is the run's. */
  #isOurs({ turn }: Json): boolean {
    return !this.#options || this.#turn.is(object(turn).id);
  }
}

/** Returns the verdict on a turn that ended; `refused` means that a person's denial ended it. */
function turnVerdict(
  { status, error }: Json,
  { usage, refused }: { usage: Usage | undefined; refused: boolean },
): Verdict {
  if (status === 'completed') return { outcome: 'done', usage };
  if (status === 'interrupted' && refused) {
    const message = 'The run ended because a permission request was denied.';
    return { outcome: 'failed', error: errorInfo('permission_denied', message), usage };
  }
  if (status === 'interrupted') return { outcome: 'cancelled', error: interruptedError(), usage };
  const { message, codexErrorInfo } = object(error);
  return { outcome: 'failed', error: codexError(string(message), codexErrorInfo), usage };
}

type TurnActions = { steer(place: Place, text: string): void; interrupt(place: Place): void };
type Turn = { threadId: string; id?: string | undefined; hasBegun: boolean };

/** The turn of a run. Steering and interrupting wait until it has begun, because Codex refuses them before. */
class RunTurn {
  /** True after a denial by which a person ended the turn. */
  refused = false;
  #actions: TurnActions;
  #turn: Turn | undefined;
  #queuedSteers: string[] = [];
  #interruptQueued = false;

  constructor(actions: TurnActions) {
    this.#actions = actions;
  }

  /** True while a requested turn has not ended. */
  get isOpen(): boolean {
    return this.#turn !== undefined;
  }

  /** True if a turn is the run's own: Codex may start turns itself. */
  is(turnId: unknown): boolean {
    return this.#turn !== undefined && (turnId ?? this.#turn.id) === (this.#turn.id ?? turnId);
  }

  /** A turn was asked for. */
  requested(threadId: string): void {
    this.refused = false;
    this.#turn = { threadId, hasBegun: false };
  }

  /** Codex has named the turn. */
  named(turnId: string | undefined): void {
    if (this.#turn) this.#turn.id = turnId;
  }

  /** The turn has begun. */
  started(threadId: string, turnId: string | undefined): void {
    this.#turn = { threadId, id: turnId, hasBegun: true };
    if (this.#interruptQueued) return void this.interrupt();
    for (const text of this.#queuedSteers.splice(0)) this.steer(text);
  }

  /** The turn is over; what was queued for it is void. */
  ended(): void {
    this.#turn = undefined;
    this.#queuedSteers = [];
    this.#interruptQueued = false;
  }

  /** Adds instructions to the running turn. */
  steer(text: string): void {
    const { threadId, id: turnId, hasBegun } = this.#turn ?? {};
    if (threadId !== undefined && hasBegun) this.#actions.steer({ threadId, turnId }, text);
    else this.#queuedSteers.push(text);
  }

  /** Ends the turn; false when there is none. */
  interrupt(): boolean {
    if (!this.#turn) return false;
    const { threadId, id: turnId, hasBegun } = this.#turn;
    if (hasBegun) this.#actions.interrupt({ threadId, turnId });
    else this.#interruptQueued = true;
    return true;
  }
}
