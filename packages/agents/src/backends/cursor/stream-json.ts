import {
  array,
  count,
  isObject,
  type Json,
  object,
  parseJson,
  string,
} from '@baton/config/values/json';
import type {
  Dialect,
  DialectEntry,
  DialectOut,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import { MessageAssembly } from '@baton/engine/kit/message-assembly';
import { PROVIDER_WORDS, providerErrorCode } from '@baton/engine/kit/provider-errors';
import { judgeEnd, type WordsRule } from '@baton/engine/normalize/end-verdict';
import { plainText } from '@baton/engine/normalize/plain-text';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { type ErrorInfo, errorInfo, type Usage } from '@baton/protocol/values';
import { type CursorCall, callOf, outcomeOf, todosOf } from './tool-calls.ts';

export const LABEL = 'Cursor';
const LOGIN_HINT = 'Set CURSOR_API_KEY, or run "cursor-agent login".';

/** Error codes by error text. */
export const WORDS: readonly WordsRule[] = [
  [
    /Authentication required|Not logged in|agent login|Press any key to sign in/i,
    'auth_missing',
    LOGIN_HINT,
  ],
  [/Cannot use this model/i, 'model_not_found'],
  [/(?:chat|session|conversation) .*not found|no such chat/i, 'session_not_found'],
  [
    /Workspace Trust|not trusted|pass --trust/i,
    'trust_required',
    'Trust the folder with "baton trust".',
  ],
  [/unknown option|unknown command|too many arguments/i, 'usage'],
  ...PROVIDER_WORDS,
];

/** Older releases show this on standard output and wait for a key. */
const LOGIN_PROMPT = /Press any key to sign in/i;

/** Reads `cursor-agent -p --output-format stream-json`, with or without `--stream-partial-output`. */
export class CursorPrinted implements Dialect {
  #out: DialectOut;
  #messages: MessageAssembly;
  #count = 0;
  /** Text of the open message so far, assembled from pieces. */
  #open = '';
  /** Everything that the model said. */
  #said = '';
  #isThinking = false;
  #calls = new Map<string, CursorCall>();
  #unnamed: string[] = [];
  #error: ErrorInfo | undefined;
  #understood = false;
  #hasEnded = false;

  constructor(out: DialectOut) {
    this.#out = out;
    this.#messages = new MessageAssembly(out.emit);
  }

  line(line: string): void {
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return this.#stray(line);
    if (this.#read(json)) this.#understood = true;
    else this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  /** In this format Cursor may repeat its messages on standard error. */
  stderrLine(line: string): boolean {
    return line.startsWith('{') && isKnown(object(parseJson(line)));
  }

  end(end: StreamEnd): Verdict | undefined {
    if (this.#hasEnded) return undefined;
    const stderr = end.stderr
      .split('\n')
      .filter((line) => !this.stderrLine(line))
      .join('\n');
    const facts = { words: WORDS, lastError: this.#error, understood: this.#understood };
    return judgeEnd({ ...end, stderr }, LABEL, facts);
  }

  #stray(line: string): void {
    if (!LOGIN_PROMPT.test(line)) return strayLine(line, this.#out.emit);
    const message = 'Cursor is not logged in: it asked for a login instead of running the prompt.';
    this.#error = errorInfo('auth_missing', message, { hint: LOGIN_HINT });
    this.#out.giveUp?.(this.#error);
  }

  #read(json: Json): boolean {
    const { type } = json;
    if (type === 'system') this.#init(json);
    else if (type === 'assistant') this.#assistant(json);
    else if (type === 'thinking') this.#thinking(json);
    else if (type === 'tool_call') return this.#tool(json);
    else if (type === 'result') this.#result(json);
    // The prompt, and what Cursor asked and answered itself.
    else return type === 'user' || type === 'interaction_query';
    return true;
  }

  #init({ subtype, session_id: id, model }: Json): void {
    const nativeSessionId = string(id);
    if (subtype !== 'init' || !nativeSessionId) return;
    this.#out.emit({ type: 'run.identified', nativeSessionId, model: string(model) });
  }

  /**
   * A piece has a time and no call of the model. All other lines are whole: they are new, or repeat the pieces of the
   * open message, or all that was said.
   */
  #assistant({ message, timestamp_ms: time, model_call_id: call }: Json): void {
    const blocks = array(object(message).content);
    const text = blocks.map((block) => string(object(block).text) ?? '').join('');
    if (text === '') return;
    this.#endThinking();
    if (time !== undefined && call === undefined) return this.#append(text);
    const isRepeated = this.#open !== '' && text.endsWith(this.#open);
    const isEverything = this.#open === '' && this.#said !== '' && text === this.#said;
    if (isEverything) return;
    if (!isRepeated) {
      this.#endMessage();
      this.#append(text);
    }
    this.#endMessage();
  }

  #append(text: string): void {
    if (this.#open === '') this.#count += 1;
    this.#open += text;
    this.#said += text;
    this.#messages.append(this.#message('text'), text);
  }

  #endMessage(): void {
    if (this.#open === '') return;
    this.#messages.complete(this.#message('text'));
    this.#open = '';
  }

  #thinking({ subtype, text }: Json): void {
    if (subtype === 'completed') return this.#endThinking();
    const words = string(text) ?? '';
    if (words === '') return;
    this.#endMessage();
    if (!this.#isThinking) this.#count += 1;
    this.#isThinking = true;
    this.#messages.append(this.#message('thinking'), words);
  }

  #endThinking(): void {
    if (!this.#isThinking) return;
    this.#messages.complete(this.#message('thinking'));
    this.#isThinking = false;
  }

  #message(kind: 'text' | 'thinking') {
    return { messageId: `message-${this.#count}`, kind };
  }

  #tool({ subtype, call_id: id, tool_call: envelope }: Json): boolean {
    const call = callOf(envelope);
    if (!call || (subtype !== 'started' && subtype !== 'completed')) return false;
    this.#endThinking();
    this.#endMessage();
    if (subtype === 'started') this.#started(string(id) ?? this.#nextUnnamed(), call);
    else this.#completed(string(id) ?? this.#unnamed.shift(), call);
    return true;
  }

  #nextUnnamed(): string {
    const callId = `call-${this.#calls.size + this.#unnamed.length + 1}`;
    this.#unnamed.push(callId);
    return callId;
  }

  #started(callId: string, call: CursorCall): void {
    this.#calls.set(callId, call);
    const { name, action, input } = call;
    this.#out.emit({ type: 'tool.started', callId, name, action, input });
  }

  /** The line that ends a call may repeat its arguments, or have none. */
  #completed(callId = this.#nextUnnamed(), ended: CursorCall): void {
    if (!this.#calls.has(callId)) this.#started(callId, ended);
    const begun = this.#calls.get(callId) ?? ended;
    const hasInput = Object.keys(ended.input).length > 0;
    const call = hasInput ? ended : { ...begun, result: ended.result };
    const { outcome, output, action } = outcomeOf(call);
    this.#out.emit({ type: 'tool.completed', callId, outcome, output, action });
    const entries =
      call.name === 'updateTodos' && outcome === 'ok' ? todosOf(call.input) : undefined;
    if (entries) this.#out.emit({ type: 'plan.updated', entries });
  }

  /** Its `result` is everything that the model said, so the last message is the answer if there was one. */
  #result(json: Json): void {
    const { subtype, is_error: isError, result } = json;
    const usage = usageOf(object(json.usage));
    const words = string(result) ?? string(json.error) ?? '';
    const hasFailed = isError === true || (string(subtype) ?? 'success') !== 'success';
    this.#endThinking();
    this.#endMessage();
    this.#hasEnded = true;
    if (hasFailed) {
      return this.#out.complete({ outcome: 'failed', error: cursorError(words), usage });
    }
    if (this.#said === '' && words !== '') this.#messages.complete(this.#message('text'), words);
    this.#out.complete({ outcome: 'done', usage });
  }
}

/** Returns the error for Cursor's error text. */
function cursorError(words: string): ErrorInfo {
  const rule = WORDS.find(([pattern]) => pattern.test(words));
  if (rule) return errorInfo(rule[1], words, rule[2] ? { hint: rule[2] } : {});
  return errorInfo(providerErrorCode({ words }) ?? 'agent_failed', words || `${LABEL} failed.`);
}

/** Cursor counts tokens and no cost; what came from the cache is not part of its input. */
function usageOf(usage: Json): Usage | undefined {
  const input = count(usage.inputTokens);
  const outputTokens = count(usage.outputTokens);
  if (input === undefined || outputTokens === undefined) return undefined;
  const cachedInputTokens = count(usage.cacheReadTokens) ?? 0;
  const inputTokens = input + cachedInputTokens + (count(usage.cacheWriteTokens) ?? 0);
  return { inputTokens, cachedInputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

const TYPES = new Set<unknown>(['system', 'user', 'assistant', 'thinking', 'tool_call', 'result']);

function isKnown({ type, session_id: id }: Json): boolean {
  return TYPES.has(type) && typeof id === 'string';
}

/** Only Cursor has calls of this kind, and its first line says where the key is from in its own words. */
function isCursorLine(line: string): boolean {
  const json = line.startsWith('{') ? object(parseJson(line)) : {};
  if (json.type === 'tool_call') return callOf(json.tool_call) !== undefined;
  return isKnown(json) && (json.type === 'thinking' || 'permissionMode' in json);
}

/** Reads `cursor-agent -p` without an output format. */
function cursorText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL);
  return {
    line: (line) => text.line(line),
    end: (end) => {
      const verdict = text.end(end);
      if (verdict?.error?.code !== 'agent_crashed') return verdict;
      return judgeEnd(end, LABEL, { words: WORDS, understood: true });
    },
  };
}

/** The forms in which `cursor-agent` prints. */
export const cursorFormats: readonly DialectEntry[] = [
  {
    transport: 'print',
    recognises: isCursorLine,
    mayBe: (line) => isKnown(object(parseJson(line))),
    create: (out) => new CursorPrinted(out),
  },
  { transport: 'plain', recognises: () => false, create: cursorText },
];
