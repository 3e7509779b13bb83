import { array, type Json, number, object, string } from '@baton/config/values/json';
import type { DialectOut, Verdict } from '@baton/engine/definition/dialect';
import { MessageAssembly } from '@baton/engine/kit/message-assembly';
import { cancelledTogether, MAY_REPEAT } from '@baton/engine/kit/notices';
import { PendingRequests } from '@baton/engine/kit/pending-requests';
import { providerErrorCode } from '@baton/engine/kit/provider-errors';
import { planEntries } from '@baton/engine/normalize/actions';
import {
  type Action,
  addUsage,
  type ErrorInfo,
  errorInfo,
  type PermissionAnswer,
  type Question,
  type QuestionAnswer,
  type RequestAnswer,
  type Usage,
} from '@baton/protocol/values';
import { finishVerdict, LABEL, openCodeError } from '../../dialects/opencode-json/errors.ts';
import {
  callIdOf,
  editAction,
  stepUsage,
  toolAction,
  toolCompleted,
  toolStarted,
} from '../../dialects/opencode-json/parts.ts';

type EventsInput = {
  isRecording: boolean;
  /** The names of the run's MCP servers. */
  servers: readonly string[];
  /** True to grant every request without asking. */
  allowsAll: boolean;
  post(path: string, body: Json): void;
  /** The session waits for the next prompt. */
  onIdle(verdict: Verdict): void;
};

/** A request to the server that answers what the agent asked. */
type Reply = { path: string; body: Json };

type SpokenPart = {
  messageId: string;
  kind: 'text' | 'thinking';
  parentId: string | undefined;
  speaker: string;
  isOver: boolean;
};
/** `isOpen` until the request is answered, or OpenCode settles it. */
type Asked = { callId: string; sessionId: string; isOpen: boolean };
type Call = { part: Json; state: 'announced' | 'started' | 'ended'; output: string };

/** Turns the events of a server into those of a run. They come from the session of the run and those of its sub-agents. */
export class ServerEvents {
  /** The first error of the turn is the reason that it failed. */
  firstError: ErrorInfo | undefined;
  usage: Usage | undefined;
  isInTurn: boolean;
  /** True while the turn is being aborted: requests are no longer granted, because the abort settles them. */
  isAborted = false;
  #out: DialectOut;
  #input: EventsInput;
  #messages: MessageAssembly;
  #requests: PendingRequests<Reply>;
  #sessionId: string | undefined;
  #version: string | undefined;
  /** Messages that were written before this are history, which a copied session tells again. */
  #turnStart = 0;
  /** True once the prompt of the turn has arrived; an idle event before that belongs to the last turn. */
  #hasBegun = false;
  #isBusy = false;
  #prompts = new Set<string>();
  /** The messages of the turn, and whether the model says them. */
  #isSpoken = new Map<string, boolean>();
  #parts = new Map<string, SpokenPart>();
  /** Calls by message and by the id that the model gave them. */
  #calls = new Map<string, Call>();
  /** The call behind each session of a sub-agent. */
  #parents = new Map<string, string>();
  /** Permission requests by their ids. */
  #asked = new Map<string, Asked>();
  /** The calls that a person denied. */
  #denied = new Set<string>();
  #answer: string[] = [];
  #reason: string | undefined;

  constructor(out: DialectOut, input: EventsInput) {
    this.#out = out;
    this.#input = input;
    this.isInTurn = input.isRecording;
    this.#messages = new MessageAssembly(out.emit);
    this.#requests = new PendingRequests(out.emit);
  }

  /** True while a prompt has not ended. */
  get isOpen(): boolean {
    return this.#input.isRecording ? this.#hasBegun : this.isInTurn;
  }

  identify(
    sessionId: string,
    { version, model }: { version?: string | undefined; model?: string },
  ) {
    this.#sessionId = sessionId;
    this.#version = version ?? this.#version;
    this.#out.emit({
      type: 'run.identified',
      nativeSessionId: sessionId,
      version: this.#version,
      model,
    });
  }

  beginTurn(): void {
    this.isInTurn = true;
    this.isAborted = false;
    this.#turnStart = Date.now();
    this.usage = undefined;
    if (this.#sessionId !== undefined) this.identify(this.#sessionId, {});
  }

  endTurn(): void {
    this.isInTurn = this.#input.isRecording;
    this.#hasBegun = false;
    this.#isBusy = false;
    this.firstError = undefined;
    this.#reason = undefined;
    this.#answer = [];
    this.#messages.clear();
    const known = [this.#isSpoken, this.#parts, this.#calls, this.#parents, this.#asked];
    for (const each of [...known, this.#denied]) each.clear();
    if (this.#input.isRecording) this.usage = undefined;
  }

  answer(requestId: string, answer: RequestAnswer): void {
    const reply = this.#requests.answer(requestId, answer);
    if (reply) this.#input.post(reply.path, reply.body);
  }

  /** Reads an event; false when it is none. */
  read({ type, properties }: Json): boolean {
    if (typeof type !== 'string') return false;
    const facts = object(properties);
    const sessionId = string(facts.sessionID);
    if (this.#input.isRecording && this.#sessionId === undefined && sessionId !== undefined) {
      this.identify(sessionId, {});
    }
    if (!this.isInTurn) return true;
    const isMain = sessionId === undefined || sessionId === this.#sessionId;
    const isOfRun = isMain || this.#parents.has(sessionId);
    if (type === 'message.updated' && isOfRun) this.#message(object(facts.info), isMain);
    else if (type === 'message.part.updated') this.#part(object(facts.part), isMain);
    else if (type === 'message.part.delta') this.#delta(facts);
    else if (type === 'permission.asked') this.#permission(facts);
    else if (type === 'permission.replied') this.#replied(facts);
    else if (type === 'question.asked') this.#question(facts);
    else if (type === 'todo.updated') this.#todos(facts);
    else if (type === 'session.status') this.#status(object(facts.status), sessionId, isMain);
    else if (type === 'session.compacted') this.#compacted(sessionId);
    else if (type === 'session.error' && isMain) this.#failed(object(facts.error));
    else if (type === 'session.idle' && isMain && this.#hasBegun) this.#idle();
    return true;
  }

  #message({ id, role, summary, time, providerID, modelID }: Json, isMain: boolean): void {
    if ((number(object(time).created) ?? 0) < this.#turnStart) return;
    const isAssistant = role === 'assistant';
    // A summary is what the model writes when its context is full, not an answer.
    this.#isSpoken.set(String(id), isAssistant && summary !== true);
    if (!isMain) return;
    if (role === 'user') this.#begin(String(id));
    if (isAssistant && this.#sessionId !== undefined && typeof modelID === 'string') {
      this.identify(this.#sessionId, { model: `${String(providerID)}/${modelID}` });
    }
  }

  /** OpenCode reports a prompt again when the summary of its changes is known. */
  #begin(promptId: string): void {
    if (!this.#prompts.has(promptId)) this.#hasBegun = true;
    this.#prompts.add(promptId);
  }

  #part(part: Json, isMain: boolean): void {
    if (!this.#isSpoken.get(String(part.messageID))) return;
    if (part.type === 'text') this.#said('text', part, isMain);
    else if (part.type === 'reasoning') this.#said('thinking', part, isMain);
    else if (part.type === 'tool') this.#tool(part);
    else if (part.type === 'step-start' && isMain) this.#answer = [];
    else if (part.type === 'step-finish') this.#stepped(part, isMain);
  }

  #said(kind: SpokenPart['kind'], part: Json, isMain: boolean): void {
    const id = String(part.id);
    const speaker = String(part.sessionID);
    const parentId = this.#parents.get(speaker);
    const known = this.#parts.get(id);
    const spoken = known ?? { messageId: id, kind, parentId, speaker, isOver: false };
    this.#parts.set(id, spoken);
    if (spoken.isOver || part.ignored === true || object(part.time).end === undefined) return;
    spoken.isOver = true;
    const text = string(part.text) ?? '';
    if (isMain && kind === 'text' && text !== '') this.#answer.push(text);
    this.#messages.complete(spoken, text);
  }

  #delta({ partID, field, delta }: Json): void {
    const part = this.#parts.get(String(partID));
    if (part && !part.isOver && field === 'text') this.#messages.append(part, string(delta) ?? '');
  }

  #tool(part: Json): void {
    const key = callKey(part);
    const { status, metadata } = object(part.state);
    const call: Call = this.#calls.get(key) ?? { part, state: 'announced', output: '' };
    const hadInput = isFilled(object(call.part.state).input);
    call.part = part;
    this.#calls.set(key, call);
    const child = string(object(metadata).sessionId);
    if (part.tool === 'task' && child !== undefined) this.#parents.set(child, callIdOf(part));
    if (status === 'pending' || call.state === 'ended') return;
    if (call.state === 'started' && !hadInput) {
      const { callId, action, input } = toolStarted(part, this.#input.servers);
      this.#out.emit({ type: 'tool.updated', callId, action, input });
    }
    this.#start(call);
    if (status === 'completed' || status === 'error') {
      call.state = 'ended';
      return this.#end(part);
    }
    const output = string(object(metadata).output) ?? '';
    const more = output.startsWith(call.output) ? output.slice(call.output.length) : '';
    if (more === '') return;
    call.output = output;
    this.#out.emit({ type: 'tool.updated', callId: callIdOf(part), output: more });
  }

  #start(call: Call): void {
    if (call.state !== 'announced') return;
    call.state = 'started';
    const parentId = this.#parents.get(String(call.part.sessionID));
    this.#out.emit({ ...toolStarted(call.part, this.#input.servers), parentId });
  }

  #end(part: Json): void {
    const ended = toolCompleted(part, this.#input.servers);
    const { callId, outcome } = ended;
    const wasAsked = [...this.#asked.values()].some((each) => each.callId === callId);
    if (outcome !== 'denied' || !wasAsked || this.#denied.has(callId)) return this.#out.emit(ended);
    this.#out.emit({ ...ended, outcome: 'cancelled' });
    if (this.#denied.size > 0) {
      this.#out.emit(cancelledTogether(LABEL, [string(part.tool) ?? 'a tool']));
    }
  }

  #stepped(part: Json, isMain: boolean): void {
    const used = stepUsage(part);
    if (isMain) this.#reason = string(part.reason);
    const context = isMain && used.totalTokens ? { contextTokens: used.totalTokens } : {};
    this.usage = addUsage(this.usage, { ...used, ...context });
    if (this.usage) this.#out.emit({ type: 'usage.updated', usage: this.usage });
  }

  #permission(asked: Json): void {
    const requestId = String(asked.id);
    const path = `/permission/${requestId}/reply`;
    if (this.#input.allowsAll) {
      if (!this.isAborted) this.#input.post(path, { reply: 'once' });
      return;
    }
    const call = this.#calls.get(callKey({ ...object(asked.tool) }));
    if (call) {
      this.#start(call);
      const sessionId = String(asked.sessionID);
      this.#asked.set(requestId, { callId: callIdOf(call.part), sessionId, isOpen: true });
    }
    const permission = string(asked.permission) ?? 'tool';
    const isSpecial = permission === 'external_directory' || permission === 'doom_loop';
    const patterns = array(asked.patterns).map(String).join(', ');
    // OpenCode would allow every later edit, also of what is protected.
    const canLast = permission !== 'edit' && array(asked.always).length > 0;
    this.#requests.askPermission(
      {
        requestId,
        callId: call && callIdOf(call.part),
        tool: string(call?.part.tool) ?? permission,
        action: this.#askedAction(permission, object(asked.metadata), call?.part),
        input: call ? object(call.part.state).input : asked.metadata,
        reason: isSpecial ? `${permission}: ${patterns}` : undefined,
        scopes: canLast ? ['once', 'session'] : ['once'],
        parentId: this.#parents.get(String(asked.sessionID)),
      },
      (answer) => ({ path, body: this.#permissionReply(requestId, answer) }),
    );
  }

  /**
   * Returns the action of a request: the files of an edit as OpenCode resolved them, otherwise the action of the call.
   */
  #askedAction(permission: string, metadata: Json, part: Json | undefined): Action {
    if (permission === 'doom_loop') {
      const description = `Call ${string(metadata.tool) ?? 'a tool'} again with the same input`;
      return { type: 'other', description };
    }
    const { servers } = this.#input;
    const { input } = object(part?.state);
    const name = string(part?.tool);
    const own =
      name !== undefined && isFilled(input) ? toolAction(name, input, servers) : undefined;
    if (permission !== 'edit') {
      const path = string(metadata.path) ?? string(metadata.filepath);
      const action = own ?? toolAction(name ?? permission, { ...metadata, path }, servers);
      // Only the tools that edit ask for "edit"; others may have the name of such a tool.
      const isNamedAlike = action.type === 'file.edit' && permission !== 'external_directory';
      return isNamedAlike ? { type: 'other', description: name ?? permission } : action;
    }
    const edit = editAction(metadata);
    const [change] = own?.type === 'file.edit' ? own.changes : [];
    const [asked, ...others] = edit?.type === 'file.edit' ? edit.changes : [];
    if (!change || !asked || others.length > 0) return edit ?? own ?? { type: 'other' };
    return { type: 'file.edit', changes: [{ ...change, path: asked.path }] };
  }

  #permissionReply(requestId: string, answer: PermissionAnswer): Json {
    if (answer.decision === 'allow') {
      this.#close(requestId);
      const isOnce = answer.scope === undefined || answer.scope === 'once';
      return { reply: isOnce ? 'once' : 'always' };
    }
    const others = this.#deny(requestId);
    const words = [answer.reason, others.length > 0 ? MAY_REPEAT : undefined];
    return { reply: 'reject', message: words.filter(Boolean).join(' ') || undefined };
  }

  /** Notes a denial, and returns the requests that OpenCode rejects with it: all others of the session. */
  #deny(requestId: string): Asked[] {
    const denied = this.#close(requestId);
    if (!denied) return [];
    this.#denied.add(denied.callId);
    return [...this.#asked.values()].filter(
      ({ sessionId, isOpen }) => isOpen && sessionId === denied.sessionId,
    );
  }

  #close(requestId: string): Asked | undefined {
    const asked = this.#asked.get(requestId);
    if (asked) asked.isOpen = false;
    return asked;
  }

  /** An answer settles other requests of its session too; in a recording it is the only trace of the answer. */
  #replied({ requestID, reply }: Json): void {
    const requestId = String(requestID);
    const asked = this.#asked.get(requestId);
    if (asked && reply !== 'reject') {
      this.#close(requestId);
      this.#requests.infer(asked.callId, 'allow');
      return;
    }
    if (!asked?.isOpen || !this.#input.isRecording) return this.#requests.cancel(requestId);
    for (const other of this.#deny(requestId)) other.isOpen = false;
    this.#requests.infer(asked.callId, 'deny');
  }

  #question(asked: Json): void {
    const path = `/question/${String(asked.id)}`;
    const call = this.#calls.get(callKey({ ...object(asked.tool) }));
    if (call) this.#start(call);
    const questions = array(asked.questions).map((each, index) => question(object(each), index));
    this.#requests.askQuestions(
      {
        requestId: String(asked.id),
        callId: call && callIdOf(call.part),
        questions,
        parentId: this.#parents.get(String(asked.sessionID)),
      },
      (answer) => questionReply(path, questions, answer),
    );
  }

  #todos({ todos, sessionID }: Json): void {
    const parentId = this.#parents.get(String(sessionID));
    this.#out.emit({ type: 'plan.updated', entries: planEntries(todos) ?? [], parentId });
  }

  #status(status: Json, sessionId: string | undefined, isMain: boolean): void {
    if (status.type === 'busy' && isMain) this.#isBusy = true;
    if (status.type !== 'retry') return;
    this.#messages.breakOff(sessionId);
    const message = string(status.message) ?? `${LABEL} asks its model again.`;
    const { attempt, next, action } = status;
    const parentId = this.#parents.get(String(sessionId));
    const data = { attempt, next };
    this.#out.emit({ type: 'notice', level: 'warning', code: 'retry', message, data, parentId });
    // It would wait for days until an account may be used again.
    const isUsedUp = action !== undefined || providerErrorCode({ words: message }) === QUOTA;
    if (isUsedUp) this.#out.giveUp?.(errorInfo(QUOTA, message));
  }

  #compacted(sessionId: string | undefined): void {
    const parentId = this.#parents.get(String(sessionId));
    const message = `${LABEL} shortened its conversation, because the context was full.`;
    this.#out.emit({ type: 'notice', level: 'info', code: 'compaction', message, parentId });
  }

  #failed(error: Json): void {
    this.firstError ??= openCodeError(error);
    // A prompt that never began to be worked on ends with nothing else.
    if (!this.#isBusy && !this.#input.isRecording) this.#idle();
  }

  #idle(): void {
    const error = this.firstError;
    if (!error) return this.#input.onIdle(finishVerdict(this.#reason, this.#answer.join('\n\n')));
    const outcome = error.code === 'interrupted' ? 'cancelled' : 'failed';
    this.#input.onIdle({ outcome, error });
  }
}

const QUOTA = 'quota_exhausted';

function callKey({ messageID, callID }: Json): string {
  return `${String(messageID)}:${String(callID)}`;
}

function isFilled(input: unknown): boolean {
  return Object.keys(object(input)).length > 0;
}

function question(
  { question: words, header, options, multiple, custom }: Json,
  index: number,
): Question {
  return {
    id: String(index),
    header: string(header),
    question: string(words) ?? '',
    options: array(options).map((option) => {
      const { label, description } = object(option);
      return { label: string(label) ?? '', description: string(description) };
    }),
    multiple: multiple === true,
    freeText: custom !== false,
  };
}

function questionReply(
  path: string,
  questions: readonly Question[],
  answer: QuestionAnswer,
): Reply {
  if (!('answers' in answer)) return { path: `${path}/reject`, body: {} };
  const answers = questions.map(({ id }) => answer.answers[id] ?? []);
  return { path: `${path}/reply`, body: { answers } };
}
