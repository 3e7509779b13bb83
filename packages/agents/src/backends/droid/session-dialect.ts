import { array, type Json, number, object, parseJson, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectEntry,
  DialectOut,
  PromptInput,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import type { ImageData } from '@baton/engine/kit/image-file';
import { JsonRpcPeer, type RpcError, type RpcId, readRpcMessage } from '@baton/engine/kit/json-rpc';
import { agentWarning, cancelledTogether, MAY_REPEAT } from '@baton/engine/kit/notices';
import { PendingRequests } from '@baton/engine/kit/pending-requests';
import { strayLine } from '@baton/engine/normalize/stray-line';
import {
  addUsage,
  type ErrorCode,
  type ErrorInfo,
  errorInfo,
  type PermissionAnswer,
  type QuestionAnswer,
  type RequestAnswer,
  type Usage,
} from '@baton/protocol/values';
import { otherFolder } from './droid-home.ts';
import { SessionEvents } from './session-events.ts';
import { droidEnd, droidError, LABEL, notedTokens, usageOf } from './stream-json.ts';

/** The version of the protocol, which every message states. */
const API_VERSION = '1.0.0';

/** Session to open before the first prompt. */
export type DroidSession = {
  cwd: string;
  /** The session to resume. */
  resume?: string | undefined;
  /** True to copy that session instead. */
  fork?: boolean | undefined;
  /** Settings of a new session and of a resumed one. */
  settings: Json;
  /** Settings that only a new session accepts. */
  beginning: Json;
  mcpServers: readonly Json[];
  /** True to grant every request of the agent without asking. */
  allowsAll: boolean;
  readImage: (image: PromptInput['images'][number]) => ImageData;
};

/** Error codes by the reason for the end of a turn, for turns without an earlier error. */
const REASONS: Readonly<Record<string, ErrorCode>> = {
  permission_rejected: 'permission_denied',
  model_usage_exhausted: 'quota_exhausted',
  model_authentication_failed: 'auth_missing',
  model_request_rejected: 'request_rejected',
  model_provider_unreachable: 'network_unreachable',
  model_provider_unavailable: 'provider_error',
  model_rate_limited: 'rate_limited',
};

/** Speaks `--output-format stream-jsonrpc`, Droid's own protocol; without a session it only reads a recording. */
export class DroidDialect implements Dialect {
  #out: DialectOut;
  #session: DroidSession | undefined;
  #rpc: JsonRpcPeer;
  #events: SessionEvents;
  #requests: PendingRequests<() => void>;
  #waiting = new Set<string>();
  #sessionId: string | undefined;
  #model: string | undefined;
  #setupFailure: ErrorInfo | undefined;
  #failure: ErrorInfo | undefined;
  #isReady = false;
  #queued: PromptInput | undefined;
  #isPrompted = false;
  /** A person refused something and wants the turn to end. */
  #wasRefused = false;
  /** Message to send after a denial, which ends Droid's own turn. */
  #followUp: string | undefined;
  #usage: Usage | undefined;
  #everEnded = false;
  #understood = false;

  constructor(out: DialectOut, session?: DroidSession) {
    this.#out = out;
    this.#session = session;
    this.#events = new SessionEvents(out.emit);
    this.#requests = new PendingRequests(out.emit);
    this.#rpc = new JsonRpcPeer({
      textIds: true,
      write: (line) => out.write(framed(line)),
      onNotification: (_method, params, line) => this.#notified(params, line),
      onRequest: (id, method, params) => this.#requested(id, method, params),
      onUnmatchedResponse: (response) => {
        if (response.kind === 'result') this.#opened(response.result);
      },
    });
  }

  open(): void {
    if (!this.#session) return;
    const { cwd, resume, fork, settings, beginning, mcpServers } = this.#session;
    if (resume === undefined) {
      const params = { machineId: 'baton', cwd, mcpServers, ...settings, ...beginning };
      return this.#setUp('droid.initialize_session', params, (result) => {
        this.#opened(result);
        this.#ready();
      });
    }
    this.#load(resume, () => (fork ? this.#fork() : this.#ready()));
  }

  prompt(prompt: PromptInput): void {
    if (this.#setupFailure) return this.#complete({ outcome: 'failed', error: this.#setupFailure });
    this.#queued = prompt;
    this.#startTurn();
  }

  line(line: string): void {
    if (this.#rpc.receive(line)) this.#understood = true;
    else strayLine(line, this.#out.emit);
  }

  answer(requestId: string, answer: RequestAnswer): void {
    this.#waiting.delete(requestId);
    this.#requests.answer(requestId, answer)?.();
  }

  interrupt(): boolean {
    if (this.#isPrompted) {
      this.#interrupt();
      return true;
    }
    if (!this.#queued) return false;
    this.#complete(interrupted());
    return true;
  }

  end(end: StreamEnd): Verdict | undefined {
    const isOpen = this.#isPrompted || this.#queued !== undefined;
    if (!isOpen && this.#everEnded) return undefined;
    const lastError = this.#setupFailure ?? this.#failure;
    return droidEnd(end, { lastError, understood: this.#understood });
  }

  /** A session comes back with the settings that it had: they are replaced before the first prompt. */
  #load(sessionId: string, next: () => void): void {
    const { cwd, mcpServers, settings } = this.#session ?? { cwd: '', settings: {} };
    this.#setUp('droid.load_session', { sessionId, mcpServers, messageLimit: 1 }, (result) => {
      const folder = string(result.cwd) ?? cwd;
      if (folder !== cwd) {
        const message = otherFolder(sessionId, folder);
        return this.#setUpFailed(errorInfo('session_not_found', message));
      }
      this.#opened({ ...result, sessionId });
      this.#setUp('droid.update_session_settings', settings, next);
    });
  }

  #fork(): void {
    this.#setUp('droid.fork_session', {}, ({ newSessionId }) => {
      this.#load(string(newSessionId) ?? '', () => this.#ready());
    });
  }

  #setUp(method: string, params: Json, onResult: (result: Json) => void): void {
    this.#rpc.request(method, params, {
      onResult,
      onError: (error) => this.#setUpFailed(rpcError(error)),
    });
  }

  /** Without a session this prompt and every later one fails. */
  #setUpFailed(failure: ErrorInfo): void {
    this.#setupFailure ??= failure;
    if (this.#queued) this.#complete({ outcome: 'failed', error: this.#setupFailure });
  }

  #opened({ sessionId, settings }: Json): void {
    this.#sessionId = string(sessionId) ?? this.#sessionId;
    this.#model = string(object(settings).modelId) ?? this.#model;
    if (!this.#session) this.#identify();
  }

  #ready(): void {
    this.#isReady = true;
    this.#identify();
    this.#startTurn();
  }

  #identify(): void {
    if (this.#sessionId === undefined) return;
    const [nativeSessionId, model] = [this.#sessionId, this.#model];
    this.#out.emit({ type: 'run.identified', nativeSessionId, model });
  }

  #startTurn(): void {
    const prompt = this.#queued;
    if (!this.#session || !this.#isReady || !prompt) return;
    this.#queued = undefined;
    this.#isPrompted = true;
    this.#wasRefused = false;
    this.#followUp = undefined;
    this.#usage = undefined;
    this.#failure = undefined;
    this.#identify();
    const images = prompt.images.map(this.#session.readImage).map(({ data, mimeType }) => {
      return { type: 'base64', data, mediaType: mimeType };
    });
    this.#send({ text: prompt.text, ...(images.length > 0 ? { images } : {}) });
  }

  #send(message: Json): void {
    this.#rpc.request('droid.add_user_message', message, {
      onError: (error) => this.#complete({ outcome: 'failed', error: rpcError(error) }),
    });
  }

  #notified({ notification }: Json, line: string): void {
    const news = object(notification);
    if (news.type === 'agent_turn_completed') return this.#turnEnded(news);
    if (news.type === 'error') this.#failure ??= droidError(string(news.message) ?? '');
    else if (!this.#session) this.#infer(news);
    if (news.type !== 'error' && !this.#events.read(news)) {
      this.#out.emit({ type: 'unparsed', source: 'stdout', line });
    }
  }

  #turnEnded({ reason, tokenUsage }: Json): void {
    if (!this.#isPrompted) return;
    const tokens = notedTokens(object(tokenUsage));
    this.#usage = addUsage(this.#usage, tokens && usageOf(tokens));
    const text = this.#followUp;
    this.#followUp = undefined;
    if (text !== undefined && reason === 'completed') return this.#send({ text });
    this.#complete({ ...this.#verdictOn(string(reason) ?? 'error'), usage: this.#usage });
  }

  #verdictOn(reason: string): Verdict {
    if (this.#wasRefused) {
      const message = 'The run ended because a request of Droid was refused.';
      return { outcome: 'failed', error: errorInfo('permission_denied', message) };
    }
    if (reason === 'completed') return { outcome: 'done' };
    if (reason === 'cancelled') return interrupted();
    const code = REASONS[reason] ?? 'agent_failed';
    const error = this.#failure ?? errorInfo(code, `${LABEL} ended its turn: ${reason}`);
    return { outcome: 'failed', error };
  }

  #complete(verdict: Verdict): void {
    this.#events.end();
    this.#waiting.clear();
    this.#isPrompted = false;
    this.#queued = undefined;
    this.#everEnded = true;
    this.#out.complete(verdict);
  }

  /** Denies pending requests first: Droid would keep waiting for them. */
  #interrupt(): void {
    for (const requestId of [...this.#waiting]) {
      this.answer(requestId, { decision: 'deny', by: 'stop' });
      this.answer(requestId, { declined: true, by: 'stop' });
    }
    this.#followUp = undefined;
    this.#rpc.request('droid.interrupt_session', {}, { onError: () => {} });
  }

  #requested(id: RpcId, method: string, params: Json): boolean {
    if (method === 'droid.request_permission') this.#askPermission(id, array(params.toolUses));
    else if (method === 'droid.ask_user') this.#askQuestions(id, params);
    else {
      const message = `Droid asked for something that Baton does not do: ${method}`;
      this.#out.emit(agentWarning(message));
      return false;
    }
    return true;
  }

  /** One request may be about several calls: they continue only if each of them was allowed. */
  #askPermission(id: RpcId, toolUses: readonly unknown[]): void {
    const calls = toolUses.map((use) => ({
      ...this.#events.asked(object(use)),
      reason: string(object(object(use).details).riskLevelReason),
    }));
    const proceed = () => {
      for (const { callId } of calls) this.#events.allowed(callId);
      this.#rpc.respond(id, { selectedOption: 'proceed_once' });
    };
    if (this.#session?.allowsAll || calls.length === 0) return proceed();
    let open = calls.length;
    for (const { callId, name: tool, action, input, reason } of calls) {
      const requestId = `${id}:${callId}`;
      this.#waiting.add(requestId);
      this.#requests.askPermission(
        { requestId, callId, tool, action, input, reason, scopes: ['once'] },
        (answer) => () => {
          open -= 1;
          if (answer.decision === 'allow' && open > 0) return;
          if (answer.decision === 'allow') return proceed();
          open = Number.POSITIVE_INFINITY;
          const others = calls.filter((each) => each.callId !== callId);
          this.#withdraw(id, others);
          this.#refuse(id, answer, others);
        },
      );
    }
  }

  /** Droid cancels all calls of a request of which one was denied. */
  #withdraw(id: RpcId, calls: readonly { callId: string }[]): void {
    for (const { callId } of calls) {
      const requestId = `${id}:${callId}`;
      this.#waiting.delete(requestId);
      this.#requests.cancel(requestId);
      this.#events.allowed(callId);
    }
  }

  #refuse(
    id: RpcId,
    { stop, by, reason: comment }: Extract<PermissionAnswer, { decision: 'deny' }>,
    others: readonly { name: string }[],
  ): void {
    this.#rpc.respond(id, { selectedOption: 'cancel', ...(comment ? { comment } : {}) });
    const refused = `That was refused${comment ? `: ${comment}` : '.'} Go on without it.`;
    this.#followUp = others.length > 0 ? `${refused} ${MAY_REPEAT}` : refused;
    if (others.length > 0 && by !== 'stop') {
      this.#out.emit(
        cancelledTogether(
          LABEL,
          others.map(({ name }) => name),
        ),
      );
    }
    if (!stop) return;
    this.#wasRefused = true;
    this.#interrupt();
  }

  #askQuestions(id: RpcId, { toolCallId, questions }: Json): void {
    const callId = string(toolCallId);
    const requestId = String(id);
    const asked = array(questions).map(object);
    this.#waiting.add(requestId);
    this.#requests.askQuestions(
      {
        requestId,
        callId,
        questions: asked.map(({ index, topic, question, options, multiSelect }) => ({
          id: String(number(index) ?? 0),
          header: string(topic),
          question: string(question) ?? '',
          options: array(options).map((label) => ({ label: String(label) })),
          multiple: multiSelect === true,
          freeText: true,
        })),
      },
      (answer) => () => this.#rpc.respond(id, questionReply(asked, answer)),
    );
  }

  /** A recording has neither prompts nor answers: they are inferred from later messages. */
  #infer({ type, toolUseId, phase, content, message }: Json): void {
    if (type === 'create_message' && object(message).role === 'user') this.#isPrompted = true;
    const callId = string(toolUseId);
    if (callId === undefined) return;
    if (type === 'tool_execution_phase_changed' && phase === 'executing') {
      this.#requests.infer(callId, 'allow');
    }
    if (type !== 'tool_result') return;
    const isRefused = /cancelled by user/.test(string(content) ?? '');
    this.#requests.infer(callId, isRefused ? 'deny' : 'allow');
  }
}

/** The form in which recordings of `stream-jsonrpc` come. */
export const sessionFormat: DialectEntry = {
  transport: 'live',
  recognises: (line) => {
    const message = readRpcMessage(line);
    return message !== undefined && 'factoryApiVersion' in object(parseJson(line));
  },
  create: (out) => new DroidDialect(out),
};

function framed(line: string): string {
  const message = object(parseJson(line));
  const type = 'method' in message ? 'request' : 'response';
  return JSON.stringify({ ...message, type, factoryApiVersion: API_VERSION });
}

function interrupted(): Verdict {
  return { outcome: 'cancelled', error: errorInfo('interrupted', 'The turn was interrupted.') };
}

function rpcError({ message }: RpcError): ErrorInfo {
  return droidError(message);
}

function questionReply(asked: readonly Json[], answer: QuestionAnswer): Json {
  if (!('answers' in answer)) return { cancelled: true, answers: [] };
  const answers = asked.map(({ index, question }) => ({
    index,
    question,
    answer: (answer.answers[String(number(index) ?? 0)] ?? []).join(', '),
  }));
  return { cancelled: false, answers };
}
