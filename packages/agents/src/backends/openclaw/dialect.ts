import { isObject, type Json, object, parseJson, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectEntry,
  DialectOut,
  PromptInput,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import type { ImageData } from '@baton/engine/kit/image-file';
import { judgeEnd } from '@baton/engine/normalize/end-verdict';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { type ErrorCode, type ErrorInfo, errorInfo } from '@baton/protocol/values';
import { LABEL, refusalError } from './handshake.ts';
import { RunReader } from './run-reader.ts';

/** Milliseconds that one `agent.wait` waits for the end of a run. */
const WAIT_MS = 30_000;
/** The same for a restarted gateway, which is unlikely to know the run. */
const RESTARTED_WAIT_MS = 2000;

/** The conversation in the gateway that prompts go to. */
export type OpenClawSession = {
  /** In lower case, as the gateway writes it. */
  sessionKey: string;
  /** True if it must already exist. */
  mustExist: boolean;
  systemPrompt?: string | undefined;
  readImage(image: PromptInput['images'][number]): ImageData;
  /** Runs a callback after a short delay, so that the gateway is not polled continuously. */
  later(act: () => void): void;
};

/** A run of the gateway. */
type Run = {
  /** Also its idempotency key: the gateway never starts a second run with it. */
  id: string;
  params: Json;
  /** The process of the gateway that got it. */
  bootId: string | undefined;
  reader: RunReader;
  isAccepted: boolean;
  isAborting: boolean;
  /** True if the run had ended but its response was not available yet. */
  isSettling: boolean;
  /** True if a recorded client started it with `chat.send`, whose only response is that it has started. */
  isChat: boolean;
};

type Response = { ok: boolean; payload: Json; error: Json };

/**
 * Speaks with a gateway; without a session it only reads a recording, of its messages alone or of both directions
 * (`{"t":…,"dir":"in","frame":{…}}`).
 */
export class OpenClawDialect implements Dialect {
  #out: DialectOut;
  #session: OpenClawSession | undefined;
  #requests = new Map<string, (response: Response) => void>();
  #count = 0;
  /** Runs by id; a conversation has one at a time, a recording may have several. */
  #runs = new Map<string, Run>();
  /** The ended runs of a recording, which may ask for their responses again. */
  #endedRuns = new Set<string>();
  #queued: PromptInput | undefined;
  #isConnected = false;
  #isChecked = false;
  #server: { bootId?: string | undefined; version?: string | undefined } = {};
  #everEnded = false;
  #understood = false;

  constructor(out: DialectOut, session?: OpenClawSession) {
    this.#out = out;
    this.#session = session;
  }

  prompt(prompt: PromptInput): void {
    this.#queued = prompt;
    this.#startRun();
  }

  line(line: string): void {
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return strayLine(line, this.#out.emit);
    const isRead = 'dir' in json && 't' in json ? this.#readRecorded(json) : this.#readFrame(json);
    if (isRead) this.#understood = true;
    else this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  /** The run ends when the gateway has confirmed it; a lost connection is restored for that. */
  interrupt(): boolean {
    if (this.#queued) {
      const error = errorInfo('interrupted', 'The turn was interrupted.');
      this.#queued = undefined;
      this.#complete({ outcome: 'cancelled', error });
      return true;
    }
    for (const run of this.#runs.values()) this.#abort(run);
    return this.#runs.size > 0;
  }

  end(end: StreamEnd): Verdict | undefined {
    const [run] = this.#runs.values();
    if (!run && !this.#queued && this.#everEnded) return undefined;
    // The gateway may still work on it, so it must not be repeated.
    if (run && end.lost !== undefined) return { outcome: 'failed', error: lostError(end.lost) };
    return judgeEnd(end, LABEL, { understood: this.#understood });
  }

  #startRun(): void {
    const prompt = this.#queued;
    const session = this.#session;
    if (!prompt || !session || !this.#isConnected) return;
    if (session.mustExist && !this.#isChecked) return this.#checkSession(session.sessionKey);
    this.#queued = undefined;
    const id = crypto.randomUUID();
    const run = this.#addRun(id, {
      message: prompt.text,
      sessionKey: session.sessionKey,
      idempotencyKey: id,
      // The answer belongs to Baton and not to a chat.
      deliver: false,
      ...(session.systemPrompt ? { extraSystemPrompt: session.systemPrompt } : {}),
      ...attachments(prompt, session),
    });
    this.#send(run);
  }

  /** A prompt would create the session. */
  #checkSession(key: string): void {
    this.#request('sessions.resolve', { key }, ({ ok }) => {
      this.#isChecked = ok;
      if (ok) return this.#startRun();
      this.#queued = undefined;
      const error = errorInfo('session_not_found', `${LABEL} has no session "${key}".`);
      this.#complete({ outcome: 'failed', error });
    });
  }

  #addRun(id: string, params: Json): Run {
    const reader = new RunReader(id, this.#out.emit, this.#session === undefined);
    const { bootId } = this.#server;
    const run: Run = {
      id,
      params,
      bootId,
      reader,
      isAccepted: false,
      isAborting: false,
      isSettling: false,
      isChat: false,
    };
    this.#runs.set(id, run);
    return run;
  }

  /** Starts the run, or asks again for the response of one that was started. */
  #send(run: Run): void {
    this.#request('agent', run.params, (response) => this.#agentAnswered(run, response));
  }

  #agentAnswered(run: Run, { ok, payload, error }: Response): void {
    if (!this.#runs.has(run.id)) return;
    const { status } = payload;
    if (status === 'started') {
      run.isChat = true;
      return this.#accepted(run, payload);
    }
    if (status === 'accepted' || status === 'in_flight') {
      this.#accepted(run, payload);
      if (status === 'in_flight') this.#wait(run);
      return;
    }
    if (!ok && payload.status === undefined) return this.#end(run, rejected(error));
    this.#end(run, run.reader.finish(payload, error));
  }

  #accepted(run: Run, { sessionKey }: Json): void {
    if (run.isAccepted) return;
    run.isAccepted = true;
    const key = string(sessionKey) ?? string(run.params.sessionKey)?.toLowerCase();
    if (key !== undefined) {
      const { version } = this.#server;
      this.#out.emit({ type: 'run.identified', nativeSessionId: key, version });
    }
    if (run.isAborting) this.#requestAbort(run);
  }

  #wait(run: Run): void {
    const session = this.#session;
    if (!session) return;
    const isRestarted = this.#isRestarted(run);
    const timeoutMs = isRestarted ? RESTARTED_WAIT_MS : WAIT_MS;
    this.#request('agent.wait', { runId: run.id, timeoutMs }, ({ payload }) => {
      if (!this.#runs.has(run.id)) return;
      // Only the process that started the run knows its idempotency key; another one would run the prompt again.
      if (!isRestarted) {
        if (run.isSettling) return session.later(() => this.#sendAgain(run));
        run.isSettling = payload.status === 'ok' || payload.status === 'error';
        return this.#send(run);
      }
      if (payload.status === 'pending') return this.#wait(run);
      this.#end(run, run.reader.settle(payload) ?? restartedVerdict());
    });
  }

  /** Much may have happened meanwhile; a new connection asks by itself. */
  #sendAgain(run: Run): void {
    const isWaiting = this.#runs.has(run.id) && this.#isConnected && !this.#isRestarted(run);
    if (isWaiting) this.#send(run);
  }

  /** True if the current gateway process is not the one that received the run. */
  #isRestarted({ bootId }: Run): boolean {
    return bootId === undefined || bootId !== this.#server.bootId;
  }

  #abort(run: Run): void {
    if (run.isAborting) return;
    run.isAborting = true;
    if (run.isAccepted) this.#requestAbort(run);
  }

  #requestAbort({ id, params }: Run): void {
    this.#request('chat.abort', { sessionKey: params.sessionKey, runId: id }, () => {});
  }

  #readRecorded({ dir, frame }: Json): boolean {
    if (dir === 'in') return this.#readFrame(object(frame));
    if (dir === 'out') this.#noteSent(object(frame));
    return typeof dir === 'string';
  }

  /** A request of a recorded client. */
  #noteSent({ id, method, params }: Json): void {
    const sent = object(params);
    const key = string(sent.idempotencyKey);
    if (method === 'connect') {
      this.#requests.set(String(id), ({ ok, payload, error }) =>
        ok ? this.#connected(payload) : this.#refused(error),
      );
    }
    if (method === 'agent.wait') {
      const run = this.#runs.get(String(sent.runId));
      this.#requests.set(String(id), ({ payload }) => {
        const verdict = run && this.#runs.has(run.id) ? run.reader.settle(payload) : undefined;
        if (run && verdict) this.#end(run, verdict);
      });
    }
    const isPrompt = method === 'agent' || method === 'chat.send';
    if (!isPrompt || key === undefined || this.#endedRuns.has(key)) return;
    const run = this.#runs.get(key) ?? this.#addRun(key, sent);
    this.#requests.set(String(id), (response) => this.#agentAnswered(run, response));
  }

  #readFrame(frame: Json): boolean {
    if (frame.type === 'event') return this.#readEvent(frame);
    if (frame.type === 'res') return this.#readResponse(frame);
    return frame.type === 'baton' && this.#readConnection(frame);
  }

  #readConnection({ connection, reason, error }: Json): boolean {
    if (connection === 'lost') {
      this.#isConnected = false;
      this.#requests.clear();
      const message = `The connection to the ${LABEL} gateway was lost (${String(reason)}). Reconnecting.`;
      this.#out.emit({ type: 'notice', level: 'warning', code: 'retry', message });
      return true;
    }
    if (connection !== 'failed') return false;
    const info = object(error) as ErrorInfo;
    const isRunning = this.#runs.size > 0;
    // The gateway may still work on the prompt, so it must not be repeated.
    const kept = isRunning && info.retryable ? lostError(info.message) : info;
    this.#runs.clear();
    if (isRunning || this.#queued) this.#complete({ outcome: 'failed', error: kept });
    this.#queued = undefined;
    return true;
  }

  #readResponse({ id, ok, payload, error }: Json): boolean {
    const response = { ok: ok === true, payload: object(payload), error: object(error) };
    const { type, status, runId } = response.payload;
    if (type === 'hello-ok') {
      this.#connected(response.payload);
      return true;
    }
    const handle = this.#requests.get(String(id));
    if (handle) {
      // The request that starts a run has two responses.
      if (status !== 'accepted') this.#requests.delete(String(id));
      handle(response);
      return true;
    }
    if (this.#session) return typeof ok === 'boolean';
    if ((status === 'accepted' || status === 'started') && typeof runId === 'string') {
      const run = this.#addRun(runId, {});
      this.#requests.set(String(id), (later) => this.#agentAnswered(run, later));
      this.#agentAnswered(run, response);
    } else if (ok === false && !this.#isConnected) this.#refused(response.error);
    return typeof ok === 'boolean';
  }

  #connected({ server }: Json): void {
    const { bootId, version } = object(server);
    this.#server = { bootId: string(bootId), version: string(version) };
    this.#isConnected = true;
    if (!this.#session) return;
    for (const run of this.#runs.values()) {
      if (run.isAborting) this.#requestAbort(run);
      if (this.#isRestarted(run)) this.#wait(run);
      else this.#send(run);
    }
    this.#startRun();
  }

  #refused(error: Json): void {
    if (error.retryable === true) return;
    this.#complete({ outcome: 'failed', error: refusalError(error).toJSON() });
  }

  #readEvent({ event, payload }: Json): boolean {
    const { runId, stream, data, request } = object(payload);
    if (event === 'agent') {
      const run = this.#runs.get(String(runId));
      if (run) this.#readRunEvent(run, String(stream), object(data));
    }
    if (event === 'chat') {
      const run = this.#runs.get(String(runId));
      const verdict = run?.isChat ? run.reader.settleChat(object(payload)) : undefined;
      if (run && verdict) this.#end(run, verdict);
    }
    if (event === 'exec.approval.requested') {
      const { runId: askedBy, command, toolCallId } = object(request);
      const run = this.#runs.get(String(askedBy));
      const reason = `exec.approval of ${string(command) ?? 'a command'}`;
      run?.reader.needsApproval(reason, string(toolCallId));
      if (run) this.#abort(run);
    }
    return typeof event === 'string';
  }

  #readRunEvent(run: Run, stream: string, data: Json): void {
    // An abort that came before the run had really started had no effect.
    const isStart = stream === 'lifecycle' && data.phase === 'start';
    if (isStart && run.isAborting && run.isAccepted) this.#requestAbort(run);
    run.reader.read(stream, data);
    if (run.reader.approval !== undefined) this.#abort(run);
  }

  #end(run: Run, verdict: Verdict): void {
    this.#runs.delete(run.id);
    if (!this.#session) this.#endedRuns.add(run.id);
    this.#complete(verdict);
  }

  #complete(verdict: Verdict): void {
    this.#everEnded = true;
    this.#out.complete(verdict);
  }

  #request(method: string, params: Json, onResponse: (response: Response) => void): void {
    this.#count += 1;
    const id = String(this.#count);
    this.#requests.set(id, onResponse);
    this.#out.write(JSON.stringify({ type: 'req', id, method, params }));
  }
}

/** The dialect for recordings. */
export const openClawFormat: DialectEntry = {
  transport: 'live',
  recognises: (line) => {
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return false;
    const frame = 'dir' in json && 't' in json ? object(json.frame) : json;
    return typeof frame.event === 'string' || (frame.type === 'res' && 'ok' in frame);
  },
  create: (out) => new OpenClawDialect(out),
};

function attachments({ images }: PromptInput, { readImage }: OpenClawSession): Json {
  if (images.length === 0) return {};
  return {
    attachments: images.map((image) => {
      const { data, mimeType } = readImage(image);
      return { type: 'image', mimeType, content: data };
    }),
  };
}

/** The verdict on a prompt that the gateway did not take. */
function rejected({ message, code }: Json): Verdict {
  const words = string(message) ?? `The ${LABEL} gateway rejected the prompt.`;
  return { outcome: 'failed', error: errorInfo(REJECTIONS[String(code)] ?? 'agent_failed', words) };
}

const REJECTIONS: Readonly<Record<string, ErrorCode>> = {
  FORBIDDEN: 'access_denied',
  INVALID_REQUEST: 'request_rejected',
};

function lostError(reason: string): ErrorInfo {
  const message = `The connection to the ${LABEL} gateway was lost during the run: ${reason}`;
  return errorInfo('interrupted', message, {
    hint: 'The gateway may have finished the run. Check its session before you repeat the prompt.',
  });
}

function restartedVerdict(): Verdict {
  const message = `The ${LABEL} gateway was restarted during the run.`;
  return {
    outcome: 'failed',
    error: errorInfo('interrupted', message, {
      hint: 'The run may have acted already. Resume the session to continue.',
    }),
  };
}
