import { isDeepStrictEqual } from 'node:util';
import { deleteEntry } from '@baton/config/values/delete-entry';
import {
  type Action,
  type AgentEvent,
  type AnsweredBy,
  beginningOf,
  type ErrorInfo,
  type EventOf,
  errorInfo,
  type Outcome,
  type RunResult,
  type ToolOutcome,
  type Usage,
} from '@baton/protocol/values';
import type { DraftOf, EventDraft, Unstamped } from '../definition/dialect.ts';
import { checkDraft } from '../normalize/check-draft.ts';
import { RecentIds } from './recent-ids.ts';

/** Maximum number of ended messages, and of ended calls, to remember: a long run has too many to keep all. */
const FINISHED_KEPT = 2000;

/** Number of deltas of a message after which they are merged into one part. */
const CHUNKS_KEPT = 1024;

/** Longer tool output is cut, in characters. */
const TOOL_OUTPUT_LENGTH = 1024 * 1024;

type OpenMessage = {
  kind: 'text' | 'thinking';
  parentId: string | undefined;
  /** The text so far, in parts that grow by chunks: many short strings take several times the memory of their text. */
  parts: string[];
  chunks: string[];
  /** The first half of a character whose second half is in the next delta. */
  half: string;
};
type OpenTool = {
  started: Omit<EventOf<'tool.started'>, 'input'>;
  /** Source of the answer that denied permission for it. */
  deniedBy: AnsweredBy | undefined;
  /** The time it was pending. */
  waitedMs: number;
  /**
   * `open` if it was open when the run was stopped: the stop ended it, whatever its agent reports. `later` if it
   * started after that: it may still have been carried out.
   */
  stopped: 'open' | 'later' | undefined;
  /** Its action and input after a person edited them. */
  edited: { action: Action; input: unknown } | undefined;
};
type OpenRequest = {
  kind: 'permission' | 'question';
  callId: string | undefined;
  since: number;
};

/**
 * Turns drafts into events and enforces the guarantees of the stream: what starts also ends, results belong to calls,
 * and `run.completed` occurs exactly once and last.
 */
export class Recorder {
  readonly runId: string;
  readonly startedAt: number;
  /** The last message of the main agent. */
  lastText = '';
  toolsStarted = 0;
  firstToolAt: number | undefined;
  nativeSessionId: string | undefined;
  /** The last reported usage. */
  lastUsage: Usage | undefined;
  #seq = 0;
  #ended = false;
  #isStopping = false;
  #push: (event: AgentEvent) => void;
  #identified: DraftOf<'run.identified'> | undefined;
  #messages = new Map<string, OpenMessage>();
  #tools = new Map<string, OpenTool>();
  /**
   * Messages and calls that have ended. Agents sometimes repeat an end, soon after the first; the repetition is dropped.
   */
  #finishedMessages = new RecentIds(FINISHED_KEPT);
  #finishedTools = new RecentIds(FINISHED_KEPT);
  #requests = new Map<string, OpenRequest>();

  constructor(runId: string, push: (event: AgentEvent) => void) {
    this.runId = runId;
    this.startedAt = Date.now();
    this.#push = push;
  }

  get openTools(): number {
    return this.#tools.size;
  }

  get openRequests(): number {
    return this.#requests.size;
  }

  get ended(): boolean {
    return this.#ended;
  }

  started(facts: Omit<EventOf<'run.started'>, 'type' | 'seq' | 'time' | 'runId'>): void {
    this.#stamp({ type: 'run.started', ...facts });
  }

  emit(draft: EventDraft): void {
    if (this.#ended) return;
    checkDraft(draft);
    switch (draft.type) {
      case 'message.delta':
        return this.#delta(draft);
      case 'message.started':
        return this.#messageStarted(draft);
      case 'message.completed':
        return this.#messageCompleted(draft);
      case 'tool.started':
        return this.#toolStarted(draft);
      case 'tool.updated':
        return this.#toolUpdated(draft);
      case 'tool.completed':
        return this.#toolCompleted(draft);
      case 'permission.requested':
        if (this.isPending(draft.requestId)) return;
        this.#requested('permission', draft);
        break;
      case 'question.requested':
        if (this.isPending(draft.requestId)) return;
        this.#requested('question', draft);
        break;
      case 'permission.resolved':
        return this.#permissionResolved(draft);
      case 'question.resolved':
        if (!this.#resolve('question', draft.requestId, undefined)) return;
        break;
      case 'usage.updated':
        this.lastUsage = draft.usage;
        break;
      case 'run.identified':
        if (!this.#isNews(draft)) return;
        this.nativeSessionId = draft.nativeSessionId;
        this.#identified = { ...this.#identified, ...draft };
        break;
    }
    this.#stamp(draft);
  }

  /** The run is being stopped, and with it the tools that are open. */
  stopTools(): void {
    this.#isStopping = true;
    for (const tool of this.#tools.values()) tool.stopped = 'open';
  }

  /** True while a request awaits its answer. */
  isPending(requestId: string): boolean {
    return this.#requests.has(requestId);
  }

  /** Ends everything that is still open, then the run itself; the output defaults to the last message. */
  complete(
    result: Omit<RunResult, 'durationMs' | 'output'> & { output?: string | undefined },
  ): RunResult {
    this.breakOff(result.outcome);
    if (result.outcome === 'done' && this.lastText === '' && result.output) {
      this.#messageCompleted({
        type: 'message.completed',
        messageId: 'answer',
        text: result.output,
        synthetic: true,
      });
    }
    const whole: RunResult = {
      ...result,
      output: result.output ?? this.lastText,
      usage: this.#believed(result),
      error: result.error ?? defaultError(result.outcome),
      durationMs: Date.now() - this.startedAt,
    };
    this.#stamp({ type: 'run.completed', ...whole });
    this.#ended = true;
    return whole;
  }

  /**
   * Drops counts of no token from a run whose model called tools or was cut off in its answer: no such run exists. An
   * agent may answer a command of its own without asking the model, and report an error of the provider as text.
   */
  #believed({
    usage = this.lastUsage,
    outcome,
    error,
  }: Omit<RunResult, 'durationMs' | 'output'>): Usage | undefined {
    const isStopped = outcome === 'cancelled' || outcome === 'timed_out';
    const isCut = isStopped || error?.code === 'provider_error';
    const hasActed = this.toolsStarted > 0 || (isCut && this.lastText !== '');
    if (usage?.totalTokens !== 0 || usage.costUsd || !hasActed) return usage;
    const { contextWindow, contextTokens } = usage;
    return contextWindow || contextTokens ? { contextWindow, contextTokens } : undefined;
  }

  /** Ends everything that is open, because the agent that opened it will not. */
  breakOff(outcome: Outcome): void {
    const stopped = outcome === 'cancelled' || outcome === 'timed_out';
    // A tool that awaits approval has not run.
    const waiting = new Set([...this.#requests.values()].map(({ callId }) => callId));
    this.#endMessages();
    this.#endRequests(stopped ? 'stop' : 'agent');
    this.#endTools((callId) => (stopped || waiting.has(callId) ? 'cancelled' : 'error'));
  }

  #stamp(body: Unstamped): void {
    const { runId } = this;
    const seq = ++this.#seq;
    const time = Date.now();
    const event = { seq, time, runId, ...body } as AgentEvent;
    // Assigned again, because a dialect may pass on fields of its agent. A second spread would double the cost.
    event.seq = seq;
    event.time = time;
    event.runId = runId;
    this.#push(event);
  }

  #messageStarted(draft: DraftOf<'message.started'>): void {
    if (this.#messages.has(draft.messageId)) return;
    const { messageId, kind, parentId } = draft;
    this.#messages.set(messageId, { kind, parentId, parts: [], chunks: [], half: '' });
    this.#stamp(draft);
  }

  #delta(draft: DraftOf<'message.delta'>): void {
    if (draft.text === '') return;
    let message = this.#messages.get(draft.messageId);
    if (!message) {
      this.#messageStarted({
        type: 'message.started',
        messageId: draft.messageId,
        kind: 'text',
        parentId: draft.parentId,
        synthetic: true,
      });
      message = this.#messages.get(draft.messageId);
    }
    if (!message) return;
    const said = message.half + draft.text;
    // Half a surrogate pair would be lost when the text is encoded.
    message.half = endsInHalf(said) ? said.slice(-1) : '';
    const text = message.half ? said.slice(0, -1) : said;
    if (text !== '') this.#pushDelta(draft, message, text);
  }

  #pushDelta(draft: DraftOf<'message.delta'>, message: OpenMessage, text: string): void {
    message.chunks.push(text);
    if (message.chunks.length >= CHUNKS_KEPT) message.parts.push(message.chunks.splice(0).join(''));
    const { type, messageId, turnId, nativeId, synthetic } = draft;
    // Most events are deltas: naming the fields takes half the time of a spread.
    this.#push({
      seq: ++this.#seq,
      time: Date.now(),
      runId: this.runId,
      type,
      messageId,
      kind: message.kind,
      text,
      turnId,
      parentId: draft.parentId ?? message.parentId,
      nativeId,
      synthetic,
    });
  }

  #messageCompleted(draft: DraftOf<'message.completed'>): void {
    const { messageId, parentId, text = '' } = draft;
    if (!this.#messages.has(messageId)) {
      if (this.#finishedMessages.has(messageId)) return;
      this.#delta({ type: 'message.delta', messageId, parentId, text });
    }
    const message = this.#messages.get(messageId);
    if (!message) return;
    const said = this.#sayRest(messageId, message, text);
    this.#messages = deleteEntry(this.#messages, messageId);
    this.#finishedMessages.add(messageId);
    const isContradicted = text !== '' && text.trim() !== said.trim();
    const isAnswer = message.kind === 'text' && message.parentId === undefined && said !== '';
    if (isAnswer) this.lastText = said;
    this.#stamp({
      ...draft,
      parentId: parentId ?? message.parentId,
      kind: message.kind,
      text: said,
      ...(isContradicted ? { incomplete: true } : {}),
    });
    if (isContradicted) this.#correct(draft, message);
  }

  /** Emits the missing delta of a message if its deltas are a prefix of the text; returns their concatenation. */
  #sayRest(messageId: string, message: OpenMessage, text: string): string {
    const before = [...message.parts, ...message.chunks].join('');
    const rest = text.startsWith(before) ? text.slice(before.length) : '';
    const last = rest || message.half;
    message.half = '';
    if (last) this.#pushDelta({ type: 'message.delta', messageId, text: last }, message, last);
    return before + last;
  }

  /** Deltas cannot be withdrawn, so a text that contradicts them becomes a separate message. */
  #correct(draft: DraftOf<'message.completed'>, { kind, parentId }: OpenMessage): void {
    const messageId = `${draft.messageId}+`;
    this.#messageStarted({ type: 'message.started', messageId, kind, parentId, synthetic: true });
    this.#messageCompleted({ ...draft, messageId });
  }

  #toolStarted(draft: DraftOf<'tool.started'>): void {
    if (this.#tools.has(draft.callId)) return;
    this.toolsStarted += 1;
    this.firstToolAt ??= Date.now();
    // Its input may be megabytes, and nothing here needs it.
    const { input: _input, ...facts } = draft;
    const started = { ...facts, time: Date.now() } as OpenTool['started'];
    this.#tools.set(draft.callId, {
      started,
      deniedBy: undefined,
      waitedMs: 0,
      stopped: this.#isStopping ? 'later' : undefined,
      edited: undefined,
    });
    this.#stamp(draft);
  }

  #toolUpdated(draft: DraftOf<'tool.updated'>): void {
    const tool = this.#tools.get(draft.callId);
    if (!tool) return;
    if (draft.action) tool.started.action = draft.action;
    this.#stamp(draft);
  }

  #toolCompleted(draft: DraftOf<'tool.completed'>): void {
    if (!this.#tools.has(draft.callId)) {
      if (this.#finishedTools.has(draft.callId)) return;
      this.#toolStarted({
        type: 'tool.started',
        callId: draft.callId,
        name: draft.name ?? 'unknown',
        action: draft.action ?? { type: 'other' },
        parentId: draft.parentId,
        synthetic: true,
      });
    }
    const tool = this.#tools.get(draft.callId);
    if (!tool) return;
    this.#tools = deleteEntry(this.#tools, draft.callId);
    this.#finishedTools.add(draft.callId);
    this.#stamp({
      ...draft,
      ...(draft.output === undefined ? {} : { output: cappedOutput(draft.output) }),
      name: draft.name ?? tool.started.name,
      action: doneAction(tool, draft.action),
      ...(tool.edited ? { input: tool.edited.input } : {}),
      parentId: draft.parentId ?? tool.started.parentId,
      outcome: outcomeOf(tool, draft.outcome),
      durationMs: draft.durationMs ?? Math.max(0, Date.now() - tool.started.time - tool.waitedMs),
    });
  }

  #isNews({ nativeSessionId, model, version }: DraftOf<'run.identified'>): boolean {
    const known = this.#identified;
    if (nativeSessionId !== known?.nativeSessionId) return true;
    return (model ?? known.model) !== known.model || (version ?? known.version) !== known.version;
  }

  #requested(
    kind: OpenRequest['kind'],
    { requestId, callId }: DraftOf<'permission.requested' | 'question.requested'>,
  ): void {
    this.#requests.set(requestId, { kind, callId, since: Date.now() });
  }

  /** Updates a call whose input a person edited. */
  #permissionResolved(draft: DraftOf<'permission.resolved'>): void {
    const request = this.#resolve('permission', draft.requestId, denierIn(draft));
    if (!request) return;
    this.#stamp(draft);
    const { action, input } = draft;
    const { callId } = request;
    const tool = callId === undefined ? undefined : this.#tools.get(callId);
    if (callId === undefined || !tool || !action) return;
    tool.edited = { action, input };
    this.#stamp({ type: 'tool.updated', callId, action, input, parentId: tool.started.parentId });
  }

  #resolve(
    kind: OpenRequest['kind'],
    requestId: string,
    denier: OpenTool['deniedBy'],
  ): OpenRequest | undefined {
    const request = this.#requests.get(requestId);
    if (request?.kind !== kind) return undefined;
    this.#requests = deleteEntry(this.#requests, requestId);
    const tool = request.callId === undefined ? undefined : this.#tools.get(request.callId);
    if (tool) tool.waitedMs += Date.now() - Math.max(request.since, tool.started.time);
    if (tool && denier) tool.deniedBy = denier;
    return request;
  }

  #endMessages(): void {
    for (const messageId of [...this.#messages.keys()]) {
      this.#messageCompleted({
        type: 'message.completed',
        messageId,
        incomplete: true,
        synthetic: true,
      });
    }
  }

  #endRequests(by: 'stop' | 'agent'): void {
    for (const [requestId, { kind }] of [...this.#requests]) {
      if (kind === 'permission') {
        this.emit({
          type: 'permission.resolved',
          requestId,
          decision: 'cancelled',
          by,
          synthetic: true,
        });
        continue;
      }
      this.emit({ type: 'question.resolved', requestId, by, synthetic: true });
    }
  }

  #endTools(outcomeOf: (callId: string) => ToolOutcome): void {
    for (const callId of [...this.#tools.keys()]) {
      const outcome = outcomeOf(callId);
      this.#toolCompleted({ type: 'tool.completed', callId, outcome, synthetic: true });
    }
  }
}

/** The error of a run that failed without giving one. */
function defaultError(outcome: Outcome): ErrorInfo | undefined {
  if (outcome === 'done') return undefined;
  if (outcome === 'cancelled') return errorInfo('interrupted', 'The run was cancelled.');
  if (outcome === 'timed_out') return errorInfo('timed_out', 'The run timed out.');
  return errorInfo('agent_failed', 'The agent exited with an error but gave no details.');
}

function denierIn({ decision, by }: DraftOf<'permission.resolved'>): AnsweredBy | undefined {
  return decision === 'deny' ? by : undefined;
}

/** The action of a call: the agent's, unless that is still the one from before a person edited it. */
function doneAction({ started, edited }: OpenTool, told: Action | undefined): Action {
  if (!edited || !told) return told ?? edited?.action ?? started.action;
  if (told.type === 'command' && edited.action.type === 'command') {
    return { ...told, command: edited.action.command };
  }
  return isDeepStrictEqual(told, started.action) ? edited.action : told;
}

/** The beginning of a long output, and a line that says how much is missing. */
function cappedOutput(output: string): string {
  if (output.length <= TOOL_OUTPUT_LENGTH) return output;
  const kept = beginningOf(output, TOOL_OUTPUT_LENGTH);
  return `${kept}\n[${output.length - kept.length} more characters]`;
}

/** A tool that failed for lack of permission was denied, unless only a stop answered the request. */
function outcomeOf({ deniedBy: denier, stopped }: OpenTool, outcome: ToolOutcome): ToolOutcome {
  const isEnded = stopped === 'open' || (stopped === 'later' && outcome === 'error');
  if (isEnded && (denier === undefined || denier === 'stop')) return 'cancelled';
  if (denier === undefined || (outcome !== 'error' && outcome !== 'denied')) return outcome;
  return denier === 'stop' ? 'cancelled' : 'denied';
}

/** True if the last unit of a text is the first half of a character that takes two. */
function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
