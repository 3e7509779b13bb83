import type { ErrorInfo, RequestAnswer } from '@baton/protocol';
import type {
  Dialect,
  DialectOut,
  EventDraft,
  PromptInput,
  StreamEnd,
  Verdict,
} from '../../dialect.ts';
import { type Json, object, string } from '../../normalize/json.ts';
import { strayLine } from '../../normalize/stray-line.ts';
import { AppServerClient, type Sent, type ThreadRequest } from './app-server-client.ts';
import { AppServerEvents } from './app-server-events.ts';
import { codexEnd, codexError } from './errors.ts';
import { type RpcId, readRpc } from './rpc.ts';
import { RunTurn } from './run-turn.ts';
import { silence } from './silence.ts';
import { interrupted, turnVerdict } from './turn-verdict.ts';
import type { Prices } from './usage.ts';

/** How to begin: what to ask for before the first prompt, and what to give with each one. */
export type AppServerOpening = {
  cwd: string;
  thread: ThreadRequest;
  /** What every turn is given beside its input. */
  turn: Json;
  /** A key to log in with, for this process only. */
  apiKey?: string | undefined;
  prices?: Prices | undefined;
  /** What there is to say before the run. */
  notices?: readonly EventDraft[];
};

/** Whether a line can only come from an app server. */
export function isAppServerLine(line: string): boolean {
  return readRpc(line) !== undefined;
}

/** Speaks with `codex app-server`; without an opening it only listens, to a recording. */
export class AppServerDialect implements Dialect {
  #out: DialectOut;
  #opening: AppServerOpening | undefined;
  #client: AppServerClient;
  #events: AppServerEvents;
  #facts: { version?: string | undefined; model?: string | undefined } = {};
  #failure: ErrorInfo | undefined;
  /** A prompt that came before there was a thread. */
  #queued: PromptInput | undefined;
  #turn: RunTurn;
  #everEnded = false;
  #understood = false;

  constructor(out: DialectOut, opening?: AppServerOpening) {
    this.#out = out;
    this.#opening = opening;
    this.#client = new AppServerClient((frame) => out.write(frame));
    this.#turn = new RunTurn(this.#client);
    const isRecording = opening === undefined;
    this.#events = new AppServerEvents(out, { isRecording, prices: opening?.prices });
  }

  open(): void {
    for (const notice of this.#opening?.notices ?? []) this.#out.emit(notice);
    this.#client.initialize();
  }

  prompt(prompt: PromptInput): void {
    if (this.#failure) return this.#complete({ outcome: 'failed', error: this.#failure });
    this.#queued = prompt;
    this.#startTurn();
  }

  line(line: string): void {
    const message = readRpc(line);
    if (!message) return strayLine(line, this.#out.emit);
    this.#understood = true;
    switch (message.kind) {
      case 'result':
        return this.#granted(this.#client.answered(message.id), message.result);
      case 'error':
        return this.#refused(this.#client.answered(message.id), message.message);
      case 'request':
        return this.#asked(message.id, message.method, message.params);
      case 'notification':
        return this.#told(message.method, message.params, line);
    }
  }

  answer(requestId: string, answer: RequestAnswer): void {
    const reply = this.#events.requests.answer(requestId, answer);
    if (!reply) return;
    if (reply.stops) this.#turn.refused = true;
    // Before the refusal, so that the model reads both at once.
    if (reply.reason) this.#client.steer(reply.place, `That was refused: ${reply.reason}`);
    this.#client.answer(reply.rpcId, reply.result);
    if (reply.interrupts) this.#turn.interrupt();
    const { written: message } = reply;
    if (message) this.#out.emit({ type: 'notice', level: 'info', code: 'config_written', message });
  }

  steer(text: string): void {
    this.#turn.steer(text);
  }

  interrupt(): boolean {
    if (this.#turn.interrupt()) return true;
    if (!this.#queued) return false;
    this.#complete({ outcome: 'cancelled', error: interrupted() });
    return true;
  }

  end(end: StreamEnd): Verdict | undefined {
    if (!this.#turn.isOpen && !this.#queued && this.#everEnded) return undefined;
    const { lastError, usage } = this.#events;
    const verdict = codexEnd(end, {
      understood: this.#understood,
      program: 'app-server',
      isInTurn: this.#turn.isOpen,
      lastError: this.#failure ?? lastError,
    });
    return { ...verdict, usage };
  }

  #granted(sent: Sent | undefined, result: Json): void {
    const version = /^[^/]*\/(\S+)/.exec(string(result.userAgent) ?? '')?.[1];
    if (version) this.#facts.version = version;
    if (sent === 'initialize') return this.#greeted();
    if (sent === 'login') return this.#openThread();
    if (sent === 'turn') return this.#turn.name(string(object(result.turn).id));
    const threadId = string(object(result.thread).id);
    // Only the answers to start, resume and fork name the model beside the thread.
    if (threadId === undefined || typeof result.model !== 'string') return;
    this.#facts.model = result.model;
    this.#events.threads.main = threadId;
    this.#identify();
    this.#startTurn();
  }

  /** Codex answers requests side by side, so that a thread must not be asked for before the login is done. */
  #greeted(): void {
    this.#client.initialized();
    if (this.#opening?.apiKey) this.#client.login(this.#opening.apiKey);
    else this.#openThread();
  }

  #openThread(): void {
    if (this.#opening) this.#client.openThread(this.#opening.thread);
  }

  #refused(sent: Sent | undefined, message: string): void {
    const error = codexError(message);
    if (sent === 'turn') return this.#complete({ outcome: 'failed', error });
    // An interrupt that comes too late is none.
    if (sent === 'interrupt') return;
    if (sent === 'initialize' || sent === 'login' || sent === 'thread') {
      this.#failure = error;
      if (this.#queued) this.#complete({ outcome: 'failed', error });
      return;
    }
    const words = sent === 'steer' ? `Codex did not take what it was told: ${message}` : message;
    this.#warn(words);
  }

  #asked(id: RpcId, method: string, params: Json): void {
    const taken = this.#events.asked(id, method, params);
    if (taken === 'waits') return;
    if (taken !== 'unknown') return this.#client.answer(taken.rpcId, taken.result);
    this.#client.refuse(id, method);
    this.#warn(`Codex asked for something that Baton does not know: ${method}`);
  }

  #told(method: string, params: Json, line: string): void {
    const { threads } = this.#events;
    if (method === 'thread/started' && threads.main === undefined) {
      threads.main = string(object(params.thread).id);
      this.#identify();
    }
    const isOurs = method.startsWith('turn/') && threads.isMain(params) && this.#isOurs(params);
    if (isOurs && method === 'turn/started') this.#turnStarted(object(params.turn));
    if (!this.#events.told(method, params)) {
      this.#out.emit({ type: 'unparsed', source: 'stdout', line });
    }
    if (isOurs && method === 'turn/completed') this.#turnCompleted(object(params.turn));
  }

  #startTurn(): void {
    const threadId = this.#events.threads.main;
    const prompt = this.#queued;
    if (!this.#opening || threadId === undefined || !prompt) return;
    this.#queued = undefined;
    this.#turn.ask(threadId);
    this.#events.beginTurn();
    this.#identify();
    this.#client.startTurn(threadId, prompt, this.#opening.cwd, this.#opening.turn);
  }

  #turnStarted({ id }: Json): void {
    if (!this.#opening) this.#events.beginTurn();
    this.#turn.begin(this.#events.threads.main ?? '', string(id));
  }

  #turnCompleted(turn: Json): void {
    const { usage, hasContent } = this.#events;
    const verdict = turnVerdict(turn, { usage, refused: this.#turn.refused });
    if (verdict.outcome === 'done' && !hasContent) this.#out.emit(silence());
    this.#complete(verdict);
  }

  #complete(verdict: Verdict): void {
    this.#events.endTurn(verdict.outcome === 'done');
    this.#turn.end();
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
    this.#out.emit({ type: 'notice', level: 'warning', code: 'agent_warning', message });
  }

  /** In a recording every turn is the run's. */
  #isOurs({ turn }: Json): boolean {
    return !this.#opening || this.#turn.is(object(turn).id);
  }
}
