import {
  array,
  count,
  isObject,
  type Json,
  number,
  object,
  parseJson,
  string,
} from '@baton/config/values/json';
import type {
  Dialect,
  DialectEntry,
  DialectOut,
  EventDraft,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import { type AssembledMessage, MessageAssembly } from '@baton/engine/kit/message-assembly';
import { agentWarning } from '@baton/engine/kit/notices';
import { actionOf } from '@baton/engine/normalize/actions';
import { judgeEnd } from '@baton/engine/normalize/end-verdict';
import { plainText } from '@baton/engine/normalize/plain-text';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { type Action, addUsage, errorInfo, type Usage } from '@baton/protocol/values';
import { ALL_WORDS, LABEL, NOISE, piError } from './errors.ts';

/** The events of Pi that say nothing that another one does not. */
const SILENT: ReadonlySet<unknown> = new Set([
  'agent_start',
  'agent_end',
  'agent_settled',
  'turn_start',
  'turn_end',
  'auto_retry_end',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
  'extension_ui_request',
]);

/** Reads the events of Pi, one after another: those of its library, and the lines of `--mode json` and `--mode rpc`. */
export class PiEvents {
  #emit: (draft: EventDraft) => void;
  #messages: MessageAssembly;
  #count = 0;
  /** The parts of the current message that are complete. */
  #closed = new Set<unknown>();
  /** The running tools: what each does, and its output so far. */
  #running = new Map<string, { action: Action; output: string }>();
  #sessionId: string | undefined;
  #model: string | undefined;
  /** The last whole message of the model. */
  #last: Json | undefined;
  #isSpeaking = false;
  #usage: Usage | undefined;

  constructor(emit: (draft: EventDraft) => void) {
    this.#emit = emit;
    this.#messages = new MessageAssembly(emit);
  }

  /** Begins another turn of the same session. */
  nextTurn(): void {
    this.#last = undefined;
    this.#usage = undefined;
    this.#isSpeaking = false;
  }

  /** Reads one event; false for one that is not known. */
  read(event: Json): boolean {
    const { type } = event;
    if (type === 'session') this.#identify(event.id);
    else if (type === 'message_start') this.#started(object(event.message));
    else if (type === 'message_update') this.#updated(object(event.assistantMessageEvent));
    else if (type === 'message_end') this.#ended(object(event.message));
    else if (type === 'tool_execution_start') this.#called(event);
    else if (type === 'tool_execution_update') this.#progressed(event);
    else if (type === 'tool_execution_end') this.#returned(event);
    else if (type === 'auto_retry_start') this.#retried(event);
    else if (type === 'compaction_start') this.#compacted('compacts its context', event);
    else if (type === 'compaction_end') this.#compacted('has compacted its context', event);
    else if (type === 'response') this.#responded(event);
    else return SILENT.has(type);
    return true;
  }

  /** Returns the verdict on the turn, by the last message of the model; undefined while the model has more to say. */
  verdict(): Verdict | undefined {
    const usage = this.#usage;
    if (!this.#last || this.#isSpeaking) return undefined;
    const { stopReason, errorMessage } = this.#last;
    const words = string(errorMessage) ?? '';
    if (stopReason === 'aborted') {
      const error = errorInfo('interrupted', words || `${LABEL} was interrupted.`);
      return { outcome: 'cancelled', error, usage };
    }
    if (stopReason === 'error') return { outcome: 'failed', error: piError(words), usage };
    if (stopReason === 'length') {
      const message = 'The answer is longer than the model may write.';
      return { outcome: 'failed', error: errorInfo('output_limit', message), usage };
    }
    // The model waits for its tools, and Pi ended before them.
    if (stopReason === 'toolUse') return undefined;
    return { outcome: 'done', output: textOf(this.#last.content), usage };
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  #identify(id: unknown, model?: string): void {
    const sessionId = string(id) ?? this.#sessionId;
    if (sessionId === undefined) return;
    if (sessionId === this.#sessionId && (!model || model === this.#model)) return;
    this.#sessionId = sessionId;
    this.#model = model ?? this.#model;
    this.#emit({ type: 'run.identified', nativeSessionId: sessionId, model: this.#model });
  }

  #started({ role }: Json): void {
    if (role !== 'assistant') return;
    this.#count += 1;
    this.#closed.clear();
    this.#isSpeaking = true;
  }

  #updated({ type, contentIndex, delta, content }: Json): void {
    const [part = '', step] = String(type).split('_');
    if (!isKind(part)) return;
    const message = this.#message(part, contentIndex);
    if (step === 'delta') this.#messages.append(message, string(delta) ?? '');
    if (step !== 'end') return;
    this.#closed.add(contentIndex);
    this.#messages.complete(message, string(content) ?? '');
  }

  #ended(message: Json): void {
    if (message.role !== 'assistant') return;
    this.#isSpeaking = false;
    this.#last = message;
    for (const [index, part] of array(message.content).entries()) {
      const { type, text, thinking } = object(part);
      if (this.#closed.has(index) || !isKind(String(type))) continue;
      const kind = type === 'thinking' ? 'thinking' : 'text';
      this.#messages.complete(this.#message(kind, index), string(text ?? thinking) ?? '');
    }
    this.#messages.breakOffAll();
    this.#identify(undefined, modelOf(message));
    if (!isObject(message.usage)) return;
    this.#usage = addUsage(this.#usage, usageOf(message.usage));
    if (this.#usage) this.#emit({ type: 'usage.updated', usage: this.#usage });
  }

  #message(kind: 'text' | 'thinking', index: unknown): AssembledMessage {
    return { messageId: `message-${this.#count}-${String(index)}`, kind };
  }

  #called({ toolCallId, toolName, args }: Json): void {
    const name = string(toolName) ?? 'tool';
    const callId = string(toolCallId) ?? 'call';
    const action = actionOf(name, args, ['path']);
    this.#running.set(callId, { action, output: '' });
    this.#emit({ type: 'tool.started', callId, name, action, input: args });
  }

  /** Pi repeats all the output so far, or only its end when it is long. */
  #progressed({ toolCallId, partialResult }: Json): void {
    const callId = string(toolCallId) ?? 'call';
    const output = textOf(object(partialResult).content);
    const running = this.#running.get(callId);
    if (!running) return;
    const told = running.output;
    running.output = output;
    const added = output.startsWith(told) ? output.slice(told.length) : output;
    if (added !== '') this.#emit({ type: 'tool.updated', callId, output: added });
  }

  #returned({ toolCallId, toolName, result, isError }: Json): void {
    const callId = string(toolCallId) ?? 'call';
    const action = this.#running.get(callId)?.action;
    this.#running.delete(callId);
    const output = textOf(object(result).content);
    const exitCode = isError === true ? exitCodeIn(output) : 0;
    const isCommand = action?.type === 'command' && exitCode !== undefined;
    this.#emit({
      type: 'tool.completed',
      callId,
      name: string(toolName) ?? 'tool',
      ...(isCommand ? { action: { ...action, exitCode } } : {}),
      outcome: isError === true ? 'error' : 'ok',
      output,
    });
  }

  #retried({ attempt, maxAttempts, errorMessage }: Json): void {
    const message = `Attempt ${attempt} of ${maxAttempts} follows: ${errorMessage}`;
    this.#emit({ type: 'notice', level: 'warning', code: 'retry', message });
  }

  #compacted(what: string, { reason }: Json): void {
    const message = `${LABEL} ${what}${typeof reason === 'string' ? ` (${reason})` : ''}.`;
    this.#emit({ type: 'notice', level: 'info', code: 'compaction', message });
  }

  /** The response to a command of `--mode rpc`. */
  #responded({ command, success, error, data }: Json): void {
    if (command === 'get_state') this.#identify(object(data).sessionId);
    if (success === false) this.#emit(agentWarning(string(error) ?? `${command} failed.`));
  }
}

/** Reads what `pi --mode json` and `pi --mode rpc` print. Nothing marks the end: Pi exits, with 0 also after a failure. */
class PiPrinted implements Dialect {
  #out: DialectOut;
  #events: PiEvents;
  #understood = false;
  /** True once the agent has ended; a retry begins it again. */
  #isOver = false;

  constructor(out: DialectOut) {
    this.#out = out;
    this.#events = new PiEvents(out.emit);
  }

  line(line: string): void {
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return strayLine(line, this.#out.emit);
    if (json.type === 'agent_end') this.#isOver = true;
    if (json.type === 'agent_start' || json.type === 'auto_retry_start') this.#isOver = false;
    if (this.#events.read(json)) this.#understood = true;
    else this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  end(end: StreamEnd): Verdict {
    // Nothing may be known of the exit of a recording.
    const isComplete = end.code === 0 || (end.code == null && !end.signal && this.#isOver);
    const verdict = isComplete ? this.#events.verdict() : undefined;
    if (verdict) return verdict;
    const judged = judgeEnd(end, LABEL, {
      noise: NOISE,
      words: ALL_WORDS,
      lastError: this.#events.verdict()?.error,
      understood: this.#understood,
    });
    return { ...judged, usage: this.#events.usage };
  }
}

/** The forms in which Pi prints; the last is for everything else. */
export const piFormats: readonly DialectEntry[] = [
  { transport: 'print', recognises: isPrintedEvent, create: (out) => new PiPrinted(out) },
  { transport: 'plain', recognises: () => false, create: piText },
];

/** Reads `pi --mode text`: the answer stands on standard output, everything else on standard error. */
function piText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL, NOISE);
  return {
    line: (line) => text.line(line),
    end: (end) => {
      if (!end.code) return text.end(end);
      return judgeEnd(end, LABEL, { noise: NOISE, words: ALL_WORDS, lastError: saidError(end) });
    },
  };
}

/** The words of a provider, which begin with its status. */
function saidError({ stderr }: StreamEnd) {
  const words = stderr.trim();
  return /^\d{3} /.test(words) ? piError(words) : undefined;
}

const RECOGNISED: ReadonlySet<unknown> = new Set([
  'agent_start',
  'turn_start',
  'message_update',
  'tool_execution_start',
]);

function isPrintedEvent(line: string): boolean {
  const json = line.startsWith('{') ? parseJson(line) : undefined;
  if (!isObject(json)) return false;
  if (json.type === 'session') return typeof json.id === 'string' && 'version' in json;
  if (json.type === 'response') return 'command' in json && typeof json.success === 'boolean';
  return RECOGNISED.has(json.type);
}

function isKind(part: string): part is 'text' | 'thinking' {
  return part === 'text' || part === 'thinking';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return array(content)
    .map((part) => object(part))
    .filter(({ type }) => type === 'text')
    .map(({ text }) => string(text) ?? '')
    .join('');
}

/** The exit code of a failed command, which Pi tells at the end of its output. */
function exitCodeIn(output: string): number | undefined {
  const code = /\bCommand exited with code (\d+)\s*$/.exec(output)?.[1];
  return code === undefined ? undefined : Number(code);
}

function modelOf({ provider, model }: Json): string | undefined {
  return typeof provider === 'string' && typeof model === 'string'
    ? `${provider}/${model}`
    : undefined;
}

/** Returns the usage of a message. Pi counts cache reads and writes separately from the input. */
function usageOf({ input, output, cacheRead, cacheWrite, totalTokens, cost }: Json): Usage {
  const read = count(cacheRead) ?? 0;
  const written = count(cacheWrite) ?? 0;
  const costUsd = number(object(cost).total);
  return {
    inputTokens: (count(input) ?? 0) + read + written,
    cachedInputTokens: read,
    cacheWriteTokens: written,
    outputTokens: count(output) ?? 0,
    totalTokens: count(totalTokens),
    ...(costUsd === undefined || costUsd < 0 ? {} : { costUsd }),
  };
}
