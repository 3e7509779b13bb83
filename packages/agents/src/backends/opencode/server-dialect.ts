import { isObject, type Json, number, object, parseJson, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectOut,
  PromptInput,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import type { ImageData } from '@baton/engine/kit/image-file';
import { agentWarning } from '@baton/engine/kit/notices';
import { PROVIDER_WORDS } from '@baton/engine/kit/provider-errors';
import { judgeEnd } from '@baton/engine/normalize/end-verdict';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { type ErrorInfo, errorInfo, type RequestAnswer } from '@baton/protocol/values';
import { LABEL, NOISE, openCodeError, WORDS } from '../../dialects/opencode-json/errors.ts';
import { asksAlways, sessionRules } from './permission-rules.ts';
import type { ServerRequest } from './server-channel.ts';
import { ServerEvents } from './server-events.ts';

/** Session to open before the first prompt. */
export type ServerSession = {
  /** The session to resume. */
  resume?: string | undefined;
  /** True to copy that session instead. */
  fork: boolean;
  model?: string | undefined;
  /** True to grant every request of the agent without asking. */
  allowsAll: boolean;
  /** MCP servers in the form of OpenCode's configuration, by name. */
  mcpServers: Readonly<Record<string, Json>>;
  readImage: (image: PromptInput['images'][number]) => ImageData;
};

/** Callbacks for the server's response to a request. */
type Handlers = { onOk?(body: Json): void; onError(error: ErrorInfo, status: number): void };

/** Speaks with `opencode serve`; without a session it only reads a recording of its events. */
export class ServerDialect implements Dialect {
  #out: DialectOut;
  #session: ServerSession | undefined;
  #events: ServerEvents;
  #requests = new Map<number, Handlers>();
  #count = 0;
  #sessionId: string | undefined;
  /** The rules that make the session ask. */
  #rules: readonly Json[] | undefined;
  #failure: ErrorInfo | undefined;
  #queued: PromptInput | undefined;
  #isReady = false;
  #wasRefused = false;
  #everEnded = false;
  #understood = false;

  constructor(out: DialectOut, session?: ServerSession) {
    this.#out = out;
    this.#session = session;
    this.#events = new ServerEvents(out, {
      isRecording: session === undefined,
      servers: Object.keys(session?.mcpServers ?? {}),
      allowsAll: session?.allowsAll === true,
      post: (path, body) => this.#post(path, body),
      onIdle: (verdict) => this.#idle(verdict),
    });
  }

  /** The rules of the session depend on those of the agents that OpenCode has. */
  open(): void {
    if (this.#session?.allowsAll) return this.#addServers();
    this.#request('GET', '/agent', undefined, {
      onOk: ({ list }) => {
        const { rules, disabled } = sessionRules(list);
        this.#rules = rules;
        if (disabled.length > 0) this.#out.emit(agentWarning(disabledWords(disabled)));
        this.#addServers();
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
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return strayLine(line, this.#out.emit);
    if (number(json.response) !== undefined) return this.#answered(json);
    if (this.#events.read(json)) this.#understood = true;
    else this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  answer(requestId: string, answer: RequestAnswer): void {
    this.#events.answer(requestId, answer);
    if (!('decision' in answer) || answer.decision !== 'deny' || !answer.stop) return;
    this.#wasRefused = true;
    this.interrupt();
  }

  /** A message that comes while the agent works is read before its next step. */
  steer(text: string): void {
    this.#post(`/session/${this.#sessionId}/prompt_async`, this.#message({ text, images: [] }));
  }

  interrupt(): boolean {
    if (this.#events.isInTurn) {
      this.#events.isAborted = true;
      this.#post(`/session/${this.#sessionId}/abort`, {});
      return true;
    }
    if (!this.#queued) return false;
    const error = errorInfo('interrupted', 'The turn was interrupted.');
    this.#complete({ outcome: 'cancelled', error });
    return true;
  }

  end(end: StreamEnd): Verdict | undefined {
    const isOpen = this.#events.isOpen || this.#queued !== undefined;
    if (!isOpen && this.#everEnded) return undefined;
    const verdict = judgeEnd(end, LABEL, {
      noise: NOISE,
      words: [...WORDS, ...PROVIDER_WORDS],
      lastError: this.#failure ?? this.#events.firstError,
      understood: this.#understood,
    });
    return { ...verdict, usage: this.#events.usage };
  }

  #addServers(): void {
    const servers = Object.entries(this.#session?.mcpServers ?? {});
    let waiting = servers.length;
    if (waiting === 0) return this.#openSession();
    for (const [name, config] of servers) {
      const onOk = (status: Json) => {
        this.#warnOfServer(name, object(status[name]));
        waiting -= 1;
        if (waiting === 0) this.#openSession();
      };
      const onError = ({ message }: ErrorInfo) => onOk({ [name]: { error: message } });
      this.#request('POST', '/mcp', { name, config }, { onOk, onError });
    }
  }

  #warnOfServer(name: string, { status, error }: Json): void {
    if (status === 'connected') return;
    const reason = string(error) ?? string(status) ?? 'unknown reason';
    this.#out.emit(agentWarning(`The MCP server ${name} is not connected: ${reason}`));
  }

  #openSession(): void {
    const { resume, fork = false } = this.#session ?? {};
    const onError = (error: ErrorInfo) => this.#setupFailed(error);
    const permission = this.#rules;
    if (resume === undefined) {
      const onOk = (info: Json) => this.#opened(info);
      return this.#request('POST', '/session', { permission }, { onOk, onError });
    }
    const path = `/session/${encodeURIComponent(resume)}`;
    const found: Handlers = {
      onOk: (info) => this.#restrict(info),
      // Whatever it says against the id, there is no such session.
      onError: () => {
        const message = `${LABEL} has no session "${resume}".`;
        this.#setupFailed(errorInfo('session_not_found', message));
      },
    };
    if (fork) this.#request('POST', `${path}/fork`, {}, found);
    else this.#request('GET', path, undefined, found);
  }

  /** A session keeps the rules that it was given last. */
  #restrict(info: Json): void {
    const permission = this.#rules;
    if (permission === undefined) return this.#opened(info);
    this.#request(
      'PATCH',
      `/session/${String(info.id)}`,
      { permission },
      {
        onOk: (changed) => this.#opened(changed),
        onError: (error) => this.#setupFailed(error),
      },
    );
  }

  #opened({ id, version, permission }: Json): void {
    if (this.#rules !== undefined && !asksAlways(permission)) {
      const message = `${LABEL} did not take the rules that make it ask.`;
      return this.#setupFailed(errorInfo('capability_missing', message));
    }
    this.#sessionId = String(id);
    this.#events.identify(this.#sessionId, { version: string(version) });
    this.#isReady = true;
    this.#startTurn();
  }

  /** Without a session this prompt and every later one fails. */
  #setupFailed(failure: ErrorInfo): void {
    this.#failure ??= failure;
    if (this.#queued) this.#complete({ outcome: 'failed', error: this.#failure });
  }

  #startTurn(): void {
    const prompt = this.#queued;
    if (!this.#isReady || !prompt) return;
    this.#queued = undefined;
    this.#wasRefused = false;
    this.#events.beginTurn();
    const path = `/session/${this.#sessionId}/prompt_async`;
    this.#request('POST', path, this.#message(prompt), {
      onError: (error) => this.#complete({ outcome: 'failed', error }),
    });
  }

  #message({ text, images }: PromptInput): Json {
    const { model, readImage } = this.#session ?? {};
    const files = images.flatMap((image) => {
      const read = readImage?.(image);
      if (!read) return [];
      const url = `data:${read.mimeType};base64,${read.data}`;
      return [{ type: 'file', mime: read.mimeType, url }];
    });
    const [providerID, ...modelID] = (model ?? '').split('/');
    return {
      ...(model === undefined ? {} : { model: { providerID, modelID: modelID.join('/') } }),
      parts: [...files, { type: 'text', text }],
    };
  }

  #idle(verdict: Verdict): void {
    const { usage } = this.#events;
    if (!this.#wasRefused) return this.#complete({ ...verdict, usage });
    const message = `The run ended because a request of ${LABEL} was refused.`;
    const error = errorInfo('permission_denied', message);
    this.#complete({ outcome: 'failed', error, usage });
  }

  #complete(verdict: Verdict): void {
    this.#events.endTurn();
    this.#queued = undefined;
    this.#everEnded = true;
    this.#out.complete(verdict);
  }

  #post(path: string, body: Json): void {
    const onError = ({ message }: ErrorInfo, status: number) => {
      // A request that OpenCode settled before the answer came; an event tells of that.
      if (status !== 404 || !path.startsWith('/permission/')) this.#out.emit(agentWarning(message));
    };
    this.#request('POST', path, body, { onError });
  }

  #request(
    method: ServerRequest['method'],
    path: string,
    body: Json | undefined,
    handlers: Handlers,
  ): void {
    this.#count += 1;
    this.#requests.set(this.#count, handlers);
    const request: ServerRequest = { id: this.#count, method, path, body };
    this.#out.write(JSON.stringify(request));
  }

  #answered({ response, status, body }: Json): void {
    const handlers = this.#requests.get(Number(response));
    this.#requests.delete(Number(response));
    const isOk = Number(status) >= 200 && Number(status) < 300;
    if (isOk) return handlers?.onOk?.(Array.isArray(body) ? { list: body } : object(body));
    const error = requestError(Number(status), body);
    handlers?.onError(error, Number(status));
  }
}

function disabledWords(agents: readonly string[]): string {
  return `Sub-agents of ${LABEL} that would act without asking are not started: ${agents.join(', ')}`;
}

/** Returns the error for a refused request; the response is an error in OpenCode's form, or text only. */
function requestError(status: number, body: unknown): ErrorInfo {
  const { name, data, message } = object(body);
  if (data !== undefined) return openCodeError({ name, data });
  const words = string(message) ?? string(body)?.slice(0, 500);
  return openCodeError({ name, data: { message: words || `${LABEL} answered ${status}.` } });
}
