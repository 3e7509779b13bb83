import { array, isObject, type Json, number, object, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectEntry,
  DialectOut,
  PromptInput,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import {
  JsonRpcPeer,
  type RpcError,
  type RpcId,
  type RpcResponse,
  readRpcMessage,
} from '@baton/engine/kit/json-rpc';
import { agentWarning } from '@baton/engine/kit/notices';
import { strayLine } from '@baton/engine/normalize/stray-line';
import {
  ERROR_CODES,
  type ErrorInfo,
  errorInfo,
  type RequestAnswer,
  type Usage,
  VERSION,
} from '@baton/protocol/values';
import type { AcpAgent, AcpSession } from './agent.ts';
import { AUTH_REQUIRED, acpError, judgeAcpEnd, loginHint, stopVerdict } from './errors.ts';
import type { AcpReply } from './requests.ts';
import { AcpUpdates } from './updates.ts';
import { PromptUsage } from './usage.ts';

/** The version of the protocol on the wire. */
const PROTOCOL_VERSION = 1;
/** The client offers neither files nor terminals: the agent uses its own, behind its own permission requests. */
const CLIENT = {
  protocolVersion: PROTOCOL_VERSION,
  clientInfo: { name: 'baton', title: 'Baton', version: VERSION },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    elicitation: { form: {}, url: {} },
  },
};

/** The requests of a client, which a recording of both sides has too. */
const CLIENT_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/resume',
  'session/fork',
  'session/list',
  'session/prompt',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
]);

/** Speaks the Agent Client Protocol, version 1; without a session it only reads a recording. */
export class AcpDialect implements Dialect {
  #out: DialectOut;
  #agent: AcpAgent;
  #session: AcpSession | undefined;
  #rpc: JsonRpcPeer;
  #updates: AcpUpdates;
  #promptUsage: PromptUsage;
  /** The agent's description of itself, from the handshake. */
  #initialized: Json = {};
  #sessionId: string | undefined;
  #model: string | undefined;
  #failure: ErrorInfo | undefined;
  /** True once the session can take a prompt. */
  #isReady = false;
  #queued: PromptInput | undefined;
  /** Counts prompts, so that the answer to an abandoned one is not taken for the answer to the next. */
  #prompts = 0;
  #isPrompted = false;
  #wasRefused = false;
  #hasLoggedIn = false;
  #everEnded = false;
  #understood = false;

  constructor(out: DialectOut, agent: AcpAgent, session?: AcpSession) {
    this.#out = out;
    this.#agent = agent;
    this.#session = session;
    this.#promptUsage = new PromptUsage(agent.usageScope, session?.resume === undefined);
    this.#updates = new AcpUpdates(out, agent, {
      isRecording: session === undefined,
      servers: (session?.mcpServers ?? []).flatMap(({ name }) => string(name) ?? []),
      isNew: session?.resume === undefined,
      allowsAll: session?.allowsAll === true,
      reply: (reply) => this.#reply(reply),
    });
    this.#rpc = new JsonRpcPeer({
      write: (line) => out.write(line),
      onNotification: (method, params, line) => this.#notified(method, params, line),
      onRequest: (id, method, params) => this.#requested(id, method, params),
      onUnmatchedResponse: (response) => this.#recordedResponse(response),
    });
  }

  open(): void {
    this.#rpc.request('initialize', CLIENT, {
      onResult: (result) => {
        this.#initialized = result;
        const version = number(result.protocolVersion);
        if (version === PROTOCOL_VERSION) return this.#openSession();
        const message = `${this.#agent.label} speaks version ${version} of the Agent Client Protocol, and Baton version ${PROTOCOL_VERSION}.`;
        this.#setupFailed(errorInfo('capability_missing', message));
      },
      onError: (error) => this.#setupFailed(acpError(error, this.#agent)),
    });
  }

  prompt(prompt: PromptInput): void {
    if (this.#failure) return this.#complete({ outcome: 'failed', error: this.#failure });
    this.#queued = prompt;
    this.#startTurn();
  }

  line(line: string): void {
    if (this.#rpc.receive(line)) this.#understood = true;
    else strayLine(line, this.#out.emit);
  }

  /** Suppresses the lines that the agent prints in every healthy run. */
  stderrLine(line: string): boolean {
    return this.#agent.noise?.some((pattern) => pattern.test(line)) ?? false;
  }

  answer(requestId: string, answer: RequestAnswer): void {
    const reply = this.#updates.requests.answer(requestId, answer);
    if (!reply) return;
    if (reply.stops) {
      this.#wasRefused = true;
      this.#cancel([reply]);
    } else this.#reply(reply);
  }

  interrupt(): boolean {
    if (this.#isPrompted) {
      this.#cancel([]);
      return true;
    }
    if (!this.#queued) return false;
    this.#complete(stopVerdict('cancelled', this.#agent));
    return true;
  }

  end(end: StreamEnd): Verdict | undefined {
    const isOpen = this.#isPrompted || this.#queued !== undefined;
    if (!isOpen && this.#everEnded) return undefined;
    const verdict = judgeAcpEnd(end, this.#agent, {
      lastError: this.#failure,
      understood: this.#understood,
    });
    return { ...verdict, usage: this.#updates.usage };
  }

  #openSession(): void {
    const request = this.#session && sessionRequest(this.#session, this.#initialized);
    if (!request) return;
    if ('missing' in request) {
      const message = `${this.#agent.label} cannot ${request.missing} a session.`;
      return this.#setupFailed(errorInfo('capability_missing', message));
    }
    this.#rpc.request(request.method, request.params, {
      onResult: (result) => this.#opened(result, request.method),
      onError: (error) => this.#notOpened(error),
    });
  }

  #notOpened(error: RpcError): void {
    const methodId = this.#session?.authMethod;
    const failure = acpError(error, this.#agent);
    if (error.code !== AUTH_REQUIRED || !methodId || this.#hasLoggedIn) {
      // A hint of Baton about this agent names more than the ways that the agent offers.
      const isGeneral = failure.hint === ERROR_CODES.auth_missing.hint;
      const hint = isGeneral ? loginHint(this.#initialized) : undefined;
      return this.#setupFailed(hint ? { ...failure, hint } : failure);
    }
    this.#hasLoggedIn = true;
    this.#rpc.request(
      'authenticate',
      { methodId },
      {
        onResult: () => this.#openSession(),
        onError: (refusal) => this.#setupFailed(acpError(refusal, this.#agent)),
      },
    );
  }

  #opened(result: Json, method: string): void {
    this.#sessionId = string(result.sessionId) ?? this.#session?.resume;
    this.#model = modelOf(result);
    this.#identify();
    this.#warnOfServers();
    this.#configure(settingsOf(result, this.#session, method));
  }

  #warnOfServers(): void {
    const servers = this.#agent.ignoresMcpPrograms ? (this.#session?.mcpServers ?? []) : [];
    const names = servers.flatMap(({ name, command }) => (command ? [String(name)] : []));
    if (names.length === 0) return;
    const message = `${this.#agent.label} ignores MCP servers that a client starts as programs: ${names.join(', ')}. Add them to its own configuration, or use servers with a URL.`;
    this.#out.emit({ type: 'notice', level: 'warning', code: 'mcp_server', message });
  }

  /** Brings the session into its mode and model, one after the other; then it can take prompts. */
  #configure([next, ...rest]: readonly Setting[]): void {
    if (!next) {
      this.#isReady = true;
      return this.#startTurn();
    }
    if ('missing' in next) {
      const message = `${this.#agent.label} does not have the ${next.missing}.`;
      return this.#setupFailed(errorInfo('capability_missing', message));
    }
    const params = { sessionId: this.#sessionId, ...next.params };
    this.#rpc.request(next.method, params, {
      onResult: () => {
        if (next.model) this.#model = next.model;
        this.#configure(rest);
      },
      onError: (error) => this.#setupFailed(acpError(error, this.#agent)),
    });
  }

  /** Without a session this prompt and every later one fails. */
  #setupFailed(failure: ErrorInfo): void {
    this.#failure ??= failure;
    if (this.#queued) this.#complete({ outcome: 'failed', error: this.#failure });
  }

  #startTurn(): void {
    const prompt = this.#queued;
    if (!this.#session || !this.#isReady || !prompt) return;
    this.#queued = undefined;
    this.#isPrompted = true;
    this.#wasRefused = false;
    this.#prompts += 1;
    const turn = this.#prompts;
    this.#updates.beginTurn();
    this.#identify();
    const { readImage } = this.#session;
    const images = prompt.images.map(readImage).map((image) => ({ type: 'image', ...image }));
    const blocks = [...images, { type: 'text', text: prompt.text }];
    this.#rpc.request(
      'session/prompt',
      { sessionId: this.#sessionId, prompt: blocks },
      {
        onResult: (result) => {
          if (turn === this.#prompts && this.#isPrompted) this.#turnEnded(result);
        },
        onError: (error) => {
          if (turn !== this.#prompts || !this.#isPrompted) return;
          this.#complete({ outcome: 'failed', error: acpError(error, this.#agent) });
        },
      },
    );
  }

  #turnEnded(result: Json): void {
    const verdict = this.#verdictOf(result);
    const used = {
      usage: this.#usageOf(result),
      usageByModel: this.#agent.usageByModel?.(result),
    };
    if (!this.#wasRefused) return this.#complete({ ...verdict, ...used });
    // Also when the agent was quicker than the request to stop.
    const message = `The run ended because a request of ${this.#agent.label} was refused.`;
    const error = errorInfo('permission_denied', message);
    this.#complete({ outcome: 'failed', error, ...used });
  }

  /** Some agents end the turn of a model that failed like any other, with the error as its text. */
  #verdictOf(result: Json): Verdict {
    const verdict = stopVerdict(result.stopReason, this.#agent);
    const { lastText } = this.#updates;
    const isError = result.usage === undefined && this.#agent.isErrorText?.(lastText.trim());
    if (verdict.outcome !== 'done' || !isError) return verdict;
    const message = lastText.trim().replace(/^Error: /, '');
    return { outcome: 'failed', error: acpError({ code: undefined, message }, this.#agent) };
  }

  #usageOf(result: Json): Usage | undefined {
    const told = this.#agent.usage
      ? this.#agent.usage(result)
      : this.#promptUsage.read(object(result.usage));
    return told ? { ...this.#updates.usage, ...told } : this.#updates.usage;
  }

  #complete(verdict: Verdict): void {
    this.#updates.endTurn(verdict.outcome === 'cancelled');
    this.#isPrompted = false;
    this.#queued = undefined;
    this.#everEnded = true;
    this.#out.complete(verdict);
  }

  /** Denies pending requests first: some agents do not end a turn that awaits an answer. */
  #cancel(replies: readonly AcpReply[]): void {
    for (const reply of [...replies, ...this.#updates.requests.cancelAll()]) this.#reply(reply);
    this.#rpc.notify('session/cancel', { sessionId: this.#sessionId });
  }

  #reply({ rpcId, result, refused, problem }: AcpReply): void {
    this.#rpc.respond(rpcId, result);
    if (refused !== undefined) this.#updates.calls.refuse(refused);
    if (problem) this.#out.emit(agentWarning(problem));
  }

  #requested(id: RpcId, method: string, params: Json): boolean {
    if (!this.#session && CLIENT_METHODS.has(method)) {
      this.#recordedRequest(method);
      return true;
    }
    if (this.#updates.request(id, method, params)) return true;
    const message = `${this.#agent.label} asked for something that Baton does not do: ${method}`;
    this.#out.emit(agentWarning(message));
    return false;
  }

  #notified(method: string, params: Json, line: string): void {
    if (method === 'session/update') {
      this.#name(string(params.sessionId));
      if (this.#updates.read(object(params.update))) return;
    } else if (method.startsWith('_') || method === 'elicitation/complete') return;
    else if (method === 'session/cancel' && !this.#session) {
      return this.#updates.requests.cancelTurn();
    }
    this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  /** A recording of both sides has the requests of its client: what a loaded session repeats is history. */
  #recordedRequest(method: string): void {
    if (method === 'session/load') this.#updates.isInTurn = false;
    if (method === 'session/prompt') this.#updates.beginTurn();
  }

  /** A recording may have responses but no requests; the fields of a response show which request it answers. */
  #recordedResponse(response: RpcResponse): void {
    if (this.#session) return;
    if (response.kind === 'error') {
      const error = acpError(response.error, this.#agent);
      this.#failure ??= error;
      return this.#complete({ outcome: 'failed', error: this.#failure });
    }
    const { id, result } = response;
    if (isObject(result.outcome)) return this.#updates.requests.recorded(id, result.outcome);
    if (result.agentInfo) this.#initialized = result;
    this.#model = modelOf(result) ?? this.#model;
    this.#name(string(result.sessionId));
    if (typeof result.stopReason === 'string') this.#turnEnded(result);
  }

  /** A recording may begin after the session was opened. */
  #name(sessionId: string | undefined): void {
    if (sessionId === undefined || this.#sessionId !== undefined) return;
    this.#sessionId = sessionId;
    this.#identify();
  }

  #identify(): void {
    if (this.#sessionId === undefined) return;
    this.#out.emit({
      type: 'run.identified',
      nativeSessionId: this.#sessionId,
      version: string(object(this.#initialized.agentInfo).version),
      model: this.#model,
    });
  }
}

/** The form in which recordings of an agent come; every agent of the protocol looks the same but for its name. */
export function acpFormat(agent: AcpAgent): DialectEntry {
  return {
    transport: 'live',
    recognises: (line) => {
      const message = readRpcMessage(line);
      const name = message?.kind === 'result' ? object(message.result.agentInfo).name : undefined;
      return name !== undefined && name === agent.agentName;
    },
    mayBe: (line) => readRpcMessage(line) !== undefined,
    create: (out) => new AcpDialect(out, agent),
  };
}

type SessionRequest = { method: string; params: Json } | { missing: string };

function sessionRequest(session: AcpSession, initialized: Json): SessionRequest {
  const { cwd, mcpServers, resume, fork } = session;
  const params = { cwd, mcpServers };
  if (resume === undefined) return { method: 'session/new', params };
  const { loadSession, sessionCapabilities } = object(initialized.agentCapabilities);
  const can = object(sessionCapabilities);
  const known = { ...params, sessionId: resume };
  if (fork) return can.fork ? { method: 'session/fork', params: known } : { missing: 'fork' };
  // Loading replays the whole conversation, resuming does not.
  if (can.resume) return { method: 'session/resume', params: known };
  return loadSession === true ? { method: 'session/load', params: known } : { missing: 'resume' };
}

type Setting =
  | { method: string; params: Json; model?: string | undefined }
  | { missing: `${'mode' | 'model'} "${string}"` };

/** The requests that bring a session into the mode and the model that a run wants. */
function settingsOf(opened: Json, session: AcpSession | undefined, method: string): Setting[] {
  const { availableModes, currentModeId } = object(opened.modes);
  const options = array(opened.configOptions).map(object);
  const settings: Setting[] = [];
  // An agent may answer before it has replayed a session; an answer to one more request comes after that.
  const mode = session?.mode ?? (method === 'session/load' ? string(currentModeId) : undefined);
  if (mode !== undefined) {
    const hasMode = array(availableModes).some((each) => object(each).id === mode);
    const option = optionFor(options, 'mode', mode);
    if (hasMode) settings.push({ method: 'session/set_mode', params: { modeId: mode } });
    else settings.push(option ?? { missing: `mode "${mode}"` });
  }
  const model = session?.model;
  if (model !== undefined) {
    const option = optionFor(options, 'model', model);
    if (option) settings.push({ ...option, model });
    else if (opened.models) {
      settings.push({ method: 'session/set_model', params: { modelId: model }, model });
    } else settings.push({ missing: `model "${model}"` });
  }
  return settings;
}

function optionFor(
  options: readonly Json[],
  category: string,
  value: string,
): { method: string; params: Json } | undefined {
  const option = options.find((each) => each.category === category || each.id === category);
  if (!option) return undefined;
  return { method: 'session/set_config_option', params: { configId: option.id, value } };
}

function modelOf({ models, configOptions }: Json): string | undefined {
  const option = array(configOptions)
    .map(object)
    .find(({ category, id }) => category === 'model' || id === 'model');
  return string(option?.currentValue) ?? string(object(models).currentModelId);
}
