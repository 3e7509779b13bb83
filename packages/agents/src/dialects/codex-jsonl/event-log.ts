import { isObject, type Json, object, parseJson, string } from '@baton/config/values/json';
import type { Dialect, DialectOut, EventDraft } from '@baton/engine/definition/dialect';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { codexError, interruptedError, judgeCodexEnd } from './errors.ts';
import { callItem, callOutput, itemOf } from './event-log-items.ts';
import { itemCompleted, itemStarted } from './exec.ts';
import { minus, readTokens, type Tokens, usageOf } from './usage.ts';

/** True if a line is from `codex exec --json` before release 0.44. */
export function isOldExecLine(line: string): boolean {
  return typeof object(object(parseJson(line)).msg).type === 'string';
}

/** True if a line is from a rollout, the file in which Codex keeps a thread. */
export function isRolloutLine(line: string): boolean {
  const { timestamp, type, payload } = object(parseJson(line));
  return typeof timestamp === 'string' && typeof type === 'string' && isObject(payload);
}

/** Reads the events that Codex works with inside, as older releases printed them and as rollouts keep them. */
export function eventLogDialect(out: DialectOut): Dialect {
  const reader = new EventLogReader(out);
  return {
    line: (line) => {
      const frame = object(parseJson(line));
      if (isObject(frame.msg)) return reader.event(frame.msg, line);
      if (isObject(frame.payload)) return reader.entry(string(frame.type), frame.payload, line);
      // The first two lines of the older form: its settings and the prompt.
      if ('workdir' in frame || 'prompt' in frame) return;
      strayLine(line, out.emit);
    },
    end: (end) => reader.end(end),
  };
}

/** Events that say nothing a run needs, or that a later one says whole. */
const IGNORED =
  /_delta$|^(?:task|turn)_started$|^(?:agent_reasoning_section_break|background_event|context_compacted|item_started|thread_\w+|turn_diff|user_message|mcp_list_tools_response|raw_response_item)$/;

class EventLogReader {
  #out: DialectOut;
  #started = new Map<string, Json>();
  #unnamed = 0;
  #isOpen = true;
  #hasBegun = false;
  #understood = false;
  #lastError: string | undefined;
  #before: Tokens = readTokens({});
  #total: Tokens = readTokens({});
  #facts: { nativeSessionId?: string; model?: string | undefined; version?: string | undefined } =
    {};

  constructor(out: DialectOut) {
    this.#out = out;
  }

  /** Takes a line of a rollout. */
  entry(type: string | undefined, payload: Json, line: string): void {
    this.#understood = true;
    if (type === 'event_msg') return this.event(payload, line);
    if (type === 'response_item') return this.#response(payload);
    const { id, model, cli_version: version } = payload;
    if (type === 'session_meta') this.#identify({ id, version });
    if (type === 'turn_context') this.#identify({ model });
  }

  /** Takes an event. */
  event(event: Json, line: string): void {
    this.#understood = true;
    const type = string(event.type) ?? '';
    switch (type) {
      case 'session_configured':
        return this.#identify({ id: event.session_id, model: event.model });
      case 'task_complete':
      case 'turn_complete':
        return this.#close({ outcome: 'done', output: string(event.last_agent_message) });
      case 'turn_aborted':
        return this.#close({ outcome: 'cancelled', error: interruptedError() });
      case 'error':
        this.#lastError = string(event.message) ?? '';
        return;
      case 'stream_error':
        return this.#notice('retry', string(event.message) ?? '');
      case 'token_count':
        return this.#count(event);
    }
    if (/^(?:task|turn)_started$/.test(type)) this.#open();
    const item = itemOf(event);
    if (item) return this.#item(type, item, line);
    if (!IGNORED.test(type)) this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  end(end: Parameters<Dialect['end']>[0]): ReturnType<Dialect['end']> {
    if (!this.#isOpen) return undefined;
    const lastError = this.#lastError === undefined ? undefined : codexError(this.#lastError);
    const clues = { understood: this.#understood, isInTurn: this.#hasBegun, lastError };
    return judgeCodexEnd(end, { ...clues, program: 'exec' });
  }

  #open(): void {
    this.#isOpen = true;
    this.#hasBegun = true;
    this.#lastError = undefined;
    this.#before = this.#total;
  }

  #close(verdict: Parameters<DialectOut['complete']>[0]): void {
    this.#isOpen = false;
    const failure = this.#lastError;
    const usage = usageOf(minus(this.#total, this.#before));
    // Codex completes a task that failed too.
    if (verdict.outcome === 'done' && failure !== undefined && !verdict.output) {
      return this.#out.complete({ outcome: 'failed', error: codexError(failure), usage });
    }
    this.#out.complete({ ...verdict, usage });
  }

  #item(type: string, item: Json, line: string): void {
    const id = string(item.id) ?? this.#nextId();
    const begun = this.#started.get(id);
    const named = { ...begun, ...defined(item), id };
    if (item.type === 'user_message') return;
    const isKnown = type.endsWith('_begin')
      ? itemStarted(named, id, this.#out.emit)
      : itemCompleted(named, id, this.#out.emit);
    if (!isKnown) this.#out.emit({ type: 'unparsed', source: 'stdout', line });
    if (type.endsWith('_begin')) this.#started.set(id, item);
    else this.#started.delete(id);
  }

  /** Calls and their outputs, which are all that older rollouts tell of tools. */
  #response(payload: Json): void {
    const id = string(payload.call_id);
    if (id === undefined) return;
    if (/^(?:function|custom_tool)_call$/.test(string(payload.type) ?? '')) {
      const item = callItem(payload);
      this.#started.set(id, item);
      itemStarted({ ...item, id }, id, this.#out.emit);
      return;
    }
    const item = this.#started.get(id);
    if (!item || !/^(?:function|custom_tool)_call_output$/.test(string(payload.type) ?? '')) return;
    this.#started.delete(id);
    itemCompleted({ ...item, ...defined(callOutput(payload)), id }, id, this.#out.emit);
  }

  #count(event: Json): void {
    const { total_token_usage: total } = object(event.info);
    if (event.info === null) return;
    this.#total = readTokens(total ?? event);
    const usage = usageOf(minus(this.#total, this.#before));
    this.#out.emit({ type: 'usage.updated', usage });
  }

  #identify({ id, model, version }: { id?: unknown; model?: unknown; version?: unknown }): void {
    const nativeSessionId = string(id) ?? this.#facts.nativeSessionId;
    if (nativeSessionId === undefined) return;
    const known = {
      model: string(model) ?? this.#facts.model,
      version: string(version) ?? this.#facts.version,
    };
    this.#facts = { nativeSessionId, ...known };
    this.#out.emit({ type: 'run.identified', nativeSessionId, ...known });
  }

  #notice(code: string, message: string): void {
    this.#out.emit({ type: 'notice', level: 'warning', code, message } satisfies EventDraft);
  }

  #nextId(): string {
    this.#unnamed += 1;
    return `item_${this.#unnamed}`;
  }
}

/** The fields that are known, so that they do not hide what was known before. */
function defined(item: Json): Json {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}
