import { type Json, number, object, string } from '@baton/config/values/json';
import type {
  BackgroundWait,
  Dialect,
  DialectOut,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import { agentWarning } from '@baton/engine/kit/notices';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { addUsage, type ErrorCode, errorInfo } from '@baton/protocol/values';
import { type BackgroundTask, BackgroundTasks } from './background-tasks.ts';
import { type Message, MessageLines } from './message-lines.ts';
import {
  blocksOf,
  isInterruptionNote,
  isKnownEvent,
  isPromptBlock,
  Messages,
  textOf,
} from './messages.ts';
import { apiKeyNotice, noticeOf, notWaiting, serverNotices, waiting } from './notices.ts';
import { callOf, resultBlockOf } from './tool-result.ts';
import { Tools } from './tools.ts';
import { Turn } from './turn.ts';
import { type Totals, UsageMeter } from './usage.ts';
import {
  type FailureContext,
  isSelfStarted,
  type StreamAgent,
  verdictAtEnd,
  verdictOf,
} from './verdict.ts';

/** Lines that name the session they belong to; the one that ends a turn may name one that does not exist. */
const SESSION_LINES: ReadonlySet<unknown> = new Set([
  'assistant',
  'user',
  'stream_event',
  'tool_use',
  'tool_result',
]);

/** The end of a background task wakes the agent within 200 ms; after this time nothing will. */
const WAKE_MS = 10_000;

/** Limits that the agent keeps for one turn; it counts anew when background work or a message starts the next one. */
const LIMITS: ReadonlySet<string> = new Set<ErrorCode>(['max_turns', 'budget_exceeded']);

type ReaderOptions = {
  agent: StreamAgent;
  /** Milliseconds that a turn stays open for background commands alone; without it, as long as they run. */
  backgroundMs?: number | undefined;
  /** The totals of the session that is resumed. */
  totals?: Totals | undefined;
  /** The limit of replies, which the agent itself keeps only until background work starts another turn. */
  maxTurns?: number | undefined;
  /** Reads a line that only this agent prints, before all others; false for one that the reader has to read. */
  readOwnLine?(line: Json): boolean;
  /** Called when a call has its result, before the result is reported. */
  onToolResult?(callId: string, isError: boolean): void;
};

/**
 * Reads the stream-json of Claude Code in all its forms. Other agents print nearly the same; what only one of them has
 * is left to its backend.
 */
export class StreamJsonReader implements Dialect {
  readonly tools: Tools;
  readonly turn = new Turn();
  readonly tasks = new BackgroundTasks();
  #out: DialectOut;
  #options: ReaderOptions;
  #lines = new MessageLines();
  #messages: Messages;
  #meter: UsageMeter;
  /** Facts that may explain a failure of the turn. */
  #failure: FailureContext = {};
  #understood = false;
  #session: string | undefined;
  #isKeyReported = false;
  /** Session state, if the agent reports it: shows if a turn is in progress or expected. */
  #state: string | undefined;
  /** Work that the turn is known to wait for. */
  #waitsFor: 'agents' | 'commands' | 'agent' | undefined;

  constructor(out: DialectOut, options: ReaderOptions) {
    this.#out = out;
    this.#options = options;
    this.#meter = new UsageMeter(options.totals);
    this.#messages = new Messages(out);
    this.tools = new Tools(out);
  }

  line(line: string): void {
    for (const message of this.#lines.read(line)) this.#read(message);
  }

  end(end: StreamEnd): Verdict | undefined {
    for (const message of this.#lines.end()) this.#unparsed(message);
    if (this.turn.isOver) return undefined;
    const facts = { understood: this.#understood, failure: this.#failure };
    const { held } = this.turn;
    const hasCrashed = end.signal != null || (end.code ?? 0) !== 0;
    if (held && (held.outcome !== 'done' || !hasCrashed)) return held;
    return { ...verdictAtEnd(end, this.#options.agent, facts), usage: held?.usage };
  }

  #read(message: Message): void {
    const { json } = message;
    if (!json) return strayLine(message.text, this.#out.emit);
    this.#understood = true;
    if (SESSION_LINES.has(json.type)) this.#identifySession(json);
    if (this.#options.readOwnLine?.(json)) return;
    switch (json.type) {
      case 'assistant':
        return this.#assistant(json, message);
      case 'user':
        return this.#user(json, message);
      case 'stream_event':
        return this.#streamEvent(json, message);
      case 'tool_use':
        return this.#toolUse(json);
      case 'tool_result':
        return this.#toolResult(json, message);
      case 'result':
        return this.#result(json);
    }
    if (json.type === 'system' && json.subtype === 'init') return this.#init(json);
    this.#other(json, message);
  }

  #init(json: Json): void {
    const model = string(json.model);
    this.#meter.model = model;
    this.#working();
    this.#checkTurns();
    this.#session = string(json.session_id);
    this.#identify({ version: string(json.claude_code_version), model });
    for (const notice of serverNotices(json)) this.#out.emit({ type: 'notice', ...notice });
    const notice = this.#isKeyReported ? undefined : apiKeyNotice(json, this.#options.agent.label);
    this.#isKeyReported = true;
    if (notice) this.#out.emit({ type: 'notice', ...notice });
  }

  /** The agent begins a turn: one after background work would have as many replies again. */
  #checkTurns(): void {
    const { maxTurns } = this.#options;
    if (maxTurns === undefined || this.turn.replies < maxTurns || !this.turn.isOfRun) return;
    const message = `${this.#options.agent.label} used all of its ${maxTurns} turns.`;
    this.#out.passLimit?.(errorInfo('max_turns', message));
  }

  #assistant(json: Json, message: Message): void {
    const parentId = this.#openTurn(json);
    const errorKind = string(json.error);
    if (errorKind) return this.#errorMessage(errorKind, textOf(json), parentId);
    const { id, usage } = object(json.message);
    if (parentId === undefined) {
      this.#clearFailure();
      this.#meter.begin(object(usage));
    }
    const blocks = blocksOf(json);
    const unknown = blocks?.filter((block) => !this.#block(string(id) ?? '', block, parentId));
    if (unknown?.length !== 0) this.#unparsed(message);
  }

  /** Reads a block of the model's message; false if it is unknown. */
  #block(messageId: string, block: Json, parentId: string | undefined): boolean {
    this.#messages.block(messageId, block, parentId);
    const type = string(block.type) ?? '';
    if (type.endsWith('tool_result')) return this.tools.finish(block, undefined, parentId);
    if (!type.endsWith('tool_use')) return type === 'text' || type.endsWith('thinking');
    const name = string(block.name) ?? 'unknown';
    this.tools.start(string(block.id), name, block.input, parentId);
    return true;
  }

  /** The agent's own text in place of an answer. The result repeats it as the error that it is. */
  #errorMessage(kind: string, message: string, parentId: string | undefined): void {
    if (parentId === undefined) this.#failure = { ...this.#failure, kind, message };
    else this.#warn(message || `A sub-agent failed: ${kind}`, parentId);
  }

  /** The turn continues: an error reported before is not why it fails, but it is not lost. */
  #clearFailure(): void {
    const { message } = this.#failure;
    this.#failure = {};
    if (message) this.#warn(message);
  }

  /** Besides tool results these are echoes, and prompts and notes that the agent wrote to itself. */
  #user(json: Json, message: Message): void {
    this.turn.echo(string(json.uuid) ?? '');
    const isEcho = json.isReplay === true;
    const parentId = string(json.parent_tool_use_id);
    const blocks = blocksOf(json);
    if (!isEcho && parentId === undefined && blocks?.some(isInterruptionNote)) {
      this.#failure.interrupted = true;
    }
    const unknown = blocks?.filter((block) => {
      if (block.type !== 'tool_result') return !isEcho && !isPromptBlock(block);
      this.#options.onToolResult?.(string(block.tool_use_id) ?? '', block.is_error === true);
      return !this.tools.finish(block, json.tool_use_result, parentId);
    });
    if (unknown?.length !== 0) this.#unparsed(message);
  }

  #streamEvent(json: Json, message: Message): void {
    const parentId = this.#openTurn(json);
    const event = object(json.event);
    if (event.type === 'error') {
      const words = string(object(event.error).message);
      return this.#warn(words || 'The model stream failed.', parentId, event.error);
    }
    if (!isKnownEvent(event)) return this.#unparsed(message);
    this.#messages.streamEvent(event, parentId);
    if (parentId !== undefined) return;
    if (event.type === 'message_start') this.#meter.begin(object(object(event.message).usage));
    if (event.type !== 'message_delta') return;
    if (this.turn.isOfRun) this.turn.replies += 1;
    const usage = this.#meter.add(object(event.usage));
    this.#out.emit({
      type: 'usage.updated',
      usage: addUsage(this.turn.held?.usage, usage) ?? usage,
    });
  }

  #toolUse(json: Json): void {
    const parentId = this.#openTurn(json);
    const { id, name, input } = callOf(json);
    this.tools.start(id, name, input, parentId);
  }

  #toolResult(json: Json, message: Message): void {
    const parentId = string(json.parent_tool_use_id);
    if (!this.tools.finish(resultBlockOf(json), undefined, parentId)) this.#unparsed(message);
  }

  #result(json: Json): void {
    const isOwn = isSelfStarted(json);
    const hasBackground = this.tasks.running.length > 0;
    this.#messages.end(hasBackground);
    this.tools.end(json.permission_denials, hasBackground);
    if (isOwn && !this.turn.isOfRun) {
      this.#clearFailure();
      this.#meter.skip(json);
      return this.turn.skip();
    }
    const verdict = verdictOf(json, {
      label: this.#options.agent.label,
      usage: this.#meter.end(json, isOwn),
      failure: this.#failure,
    });
    if (verdict.outcome !== 'failed') this.#clearFailure();
    this.#failure = {};
    if (verdict.error?.code !== 'session_not_found') {
      this.#openTurn(json);
      this.#identifySession(json);
    }
    const isBusy = this.tasks.own.length > 0 || this.#state !== undefined;
    const mayContinue = this.tasks.hasStarted && isBusy;
    const whole = this.turn.end(verdict, { isSelfStarted: isOwn, mayContinue });
    this.#complete(whole);
    const { error } = verdict;
    if (!whole && error && LIMITS.has(error.code)) this.#out.passLimit?.(error);
  }

  /** Ends the turn, or says what it waits for. */
  #complete(verdict: Verdict | undefined): void {
    this.#updateWait();
    if (!verdict) return;
    this.#isKeyReported = false;
    this.#out.complete(verdict);
  }

  /**
   * Reads what the agent says of its tasks and of its session; a turn is over when the agent is idle and nothing runs.
   */
  #background(json: Json): void {
    this.tasks.read(json);
    const isStateChange = json.subtype === 'session_state_changed';
    if (isStateChange) this.#state = string(json.state);
    if (isStateChange && this.#state === 'idle') return this.#endIfNothingRuns();
    if (this.turn.isInterrupted) return this.#endIfNothingRuns();
    this.#updateWait();
  }

  /** The agent has received an interrupt: its report on background work is not awaited. */
  interrupted(): void {
    this.#endIfNothingRuns();
  }

  #endIfNothingRuns(): void {
    this.#complete(this.tasks.own.length === 0 ? this.turn.release() : undefined);
  }

  #updateWait(): void {
    const { own } = this.tasks;
    const waitsFor = this.turn.isInBackground ? awaited(own) : undefined;
    if (waitsFor === this.#waitsFor) return;
    this.#waitsFor = waitsFor;
    const wait = waitsFor && this.#waitFor(waitsFor);
    if (this.#out.awaitBackground && own.length > 0 && wait) this.#out.emit(waiting(own));
    this.#out.awaitBackground?.(wait);
  }

  #waitFor(waitsFor: 'agents' | 'commands' | 'agent'): BackgroundWait {
    const limits = { agents: undefined, commands: this.#options.backgroundMs, agent: WAKE_MS };
    return { limitMs: limits[waitsFor], onLimit: () => this.#stopWaiting() };
  }

  #stopWaiting(): void {
    const { own } = this.tasks;
    if (own.length > 0) this.#out.emit(notWaiting(own));
    this.#complete(this.turn.release());
  }

  /** The main agent is at work. */
  #working(): void {
    this.turn.isOpen = true;
    if (this.turn.isWorking) return;
    this.turn.isWorking = true;
    this.#updateWait();
  }

  #other(json: Json, message: Message): void {
    if (json.subtype === 'api_retry') this.#failure.retriedStatus = number(json.error_status);
    if (json.subtype === 'task_started') this.tools.delegate(json);
    if (json.subtype === 'permission_denied') this.tools.deny(string(json.tool_use_id) ?? '');
    const notice = noticeOf(json, this.#options.agent.label);
    if (notice === 'unknown') return this.#unparsed(message);
    this.#identifySession(json);
    if (notice) this.#out.emit({ type: 'notice', ...notice });
    if (json.type === 'system') this.#background(json);
  }

  /**
   * Opens a turn for a line of the main agent. Returns the call of a sub-agent: sub-agents may continue after the turn,
   * and open none.
   */
  #openTurn(json: Json): string | undefined {
    const parentId = string(json.parent_tool_use_id);
    if (parentId === undefined) this.#working();
    return parentId;
  }

  /** The session is known as soon as a line names it. */
  #identifySession(json: Json): void {
    const nativeSessionId = string(json.session_id);
    if (!nativeSessionId || nativeSessionId === this.#session) return;
    this.#session = nativeSessionId;
    this.#identify({});
  }

  #identify(facts: { version?: string | undefined; model?: string | undefined }): void {
    const nativeSessionId = this.#session;
    if (nativeSessionId) this.#out.emit({ type: 'run.identified', nativeSessionId, ...facts });
  }

  #warn(message: string, parentId?: string, data?: unknown): void {
    this.#out.emit(agentWarning(message, { parentId, data }));
  }

  #unparsed({ text }: Message): void {
    this.#out.emit({ type: 'unparsed', source: 'stdout', line: text });
  }
}

function awaited(tasks: readonly BackgroundTask[]): 'agents' | 'commands' | 'agent' {
  if (tasks.length === 0) return 'agent';
  return tasks.some(({ isAgent }) => isAgent) ? 'agents' : 'commands';
}
