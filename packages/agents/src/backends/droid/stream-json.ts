import {
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
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import { MessageAssembly } from '@baton/engine/kit/message-assembly';
import { PROVIDER_WORDS, providerErrorCode } from '@baton/engine/kit/provider-errors';
import { actionOf } from '@baton/engine/normalize/actions';
import { judgeEnd, type WordsRule } from '@baton/engine/normalize/end-verdict';
import { withoutMiddle } from '@baton/engine/normalize/error-text';
import { plainText } from '@baton/engine/normalize/plain-text';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { type ErrorInfo, errorInfo, type ToolOutcome, type Usage } from '@baton/protocol/values';

export const LABEL = 'Droid';

/** Lines that Droid writes to standard error in healthy runs. */
export const NOISE: readonly RegExp[] = [/^Warning: --input-format stream-json is deprecated/];

const LOGIN_HINT =
  'Set FACTORY_API_KEY, log in with "droid", or add a custom model to ~/.factory/settings.json.';

/** Error codes by error text. */
export const WORDS: readonly WordsRule[] = [
  [/Authentication failed|log in using \/login|No access token/i, 'auth_missing', LOGIN_HINT],
  [/insufficient permission to proceed/i, 'permission_denied'],
  [/session .*not found|failed to load session/i, 'session_not_found'],
  [/invalid model|unknown model/i, 'model_not_found'],
  [/socket connection was closed|socket hang up|ECONNRESET/i, 'provider_error'],
  [/unknown option|Invalid --|Only 'user' messages are accepted/i, 'usage'],
];

/** The command's exit code, which Droid tells only at the end of its output. */
export function exitCodeIn(output: string): number | undefined {
  const code = /\[Process exited with code (\d+)\]\s*$/.exec(output)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** Tokens as Droid counts them: what came from the cache is not part of the input. */
export type DroidTokens = {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  thinking?: number | undefined;
};

/** Tokens of sessions as Droid recorded them; Droid reports only the sum over the session, at its end. */
type DroidCounts = {
  /** Before this run. */
  earlier?: DroidTokens | 'unknown' | undefined;
  /** By now, for a run that was stopped. */
  noted?: (sessionId: string) => DroidTokens | 'unknown';
};

/** Reads what `droid exec` prints: its stream of messages, or the one object of `--output-format json`. */
export class DroidPrinted implements Dialect {
  #out: DialectOut;
  #messages: MessageAssembly;
  #earlier: DroidCounts['earlier'];
  #noted: DroidCounts['noted'];
  #sessionId: string | undefined;
  /** The last text of the model. */
  #answer = '';
  #thoughts = new Set<string>();
  #calls = new Map<string, string>();
  #failure: ErrorInfo | undefined;
  #understood = false;
  #hasEnded = false;

  constructor(out: DialectOut, { earlier, noted }: DroidCounts = {}) {
    this.#out = out;
    this.#earlier = earlier;
    this.#noted = noted;
    this.#messages = new MessageAssembly(out.emit);
  }

  line(line: string): void {
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return strayLine(line, this.#out.emit);
    if (this.#read(json)) this.#understood = true;
    else this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  end(end: StreamEnd): Verdict | undefined {
    if (this.#hasEnded) return undefined;
    const verdict = droidEnd(end, { lastError: this.#failure, understood: this.#understood });
    const total = this.#sessionId === undefined ? 'unknown' : this.#noted?.(this.#sessionId);
    return { ...verdict, usage: this.#since(total === 'unknown' ? undefined : total) };
  }

  #read(json: Json): boolean {
    const { type } = json;
    if (type === 'system') this.#identify(json);
    else if (type === 'message') this.#said(json);
    else if (type === 'reasoning') this.#thought(json);
    else if (type === 'tool_call') this.#called(json);
    else if (type === 'tool_result') this.#returned(json);
    else if (type === 'error') this.#failed(json);
    else if (type === 'completion') this.#completed(json);
    else if (type === 'result') this.#result(json);
    else return false;
    return true;
  }

  #identify({ session_id: id, model }: Json): void {
    if (typeof id !== 'string') return;
    this.#sessionId = id;
    this.#out.emit({ type: 'run.identified', nativeSessionId: id, model: string(model) });
  }

  #said({ role, id, text }: Json): void {
    const words = string(text) ?? '';
    if (role !== 'assistant' || words === '') return;
    this.#answer = words;
    this.#messages.complete({ messageId: string(id) ?? words, kind: 'text' }, words);
  }

  /** Droid prints each thought twice. */
  #thought({ id, text }: Json): void {
    const words = string(text) ?? '';
    const messageId = `${string(id) ?? 'thinking'}-${words}`;
    if (words === '' || this.#thoughts.has(messageId)) return;
    this.#thoughts.add(messageId);
    this.#messages.complete(
      { messageId: `thinking-${this.#thoughts.size}`, kind: 'thinking' },
      words,
    );
  }

  #called({ id, toolName, toolId, parameters: input }: Json): void {
    const callId = string(id) ?? '';
    const name = string(toolName) ?? string(toolId) ?? 'tool';
    this.#calls.set(callId, name);
    this.#answer = '';
    this.#out.emit({ type: 'tool.started', callId, name, action: actionOf(name, input), input });
  }

  #returned({ id, isError, value, error }: Json): void {
    const callId = string(id) ?? '';
    if (!this.#calls.delete(callId)) return;
    const output = outputOf(value) ?? string(object(error).message);
    const outcome = toolOutcome(isError, output ?? '');
    this.#out.emit({ type: 'tool.completed', callId, outcome, output });
  }

  /** The first error is the reason; what the command line says of it afterwards is an echo. */
  #failed({ source, message }: Json): void {
    this.#failure ??= droidError(string(message) ?? '');
    if (source === 'cli') this.#complete({ outcome: 'failed', error: this.#failure });
  }

  #completed({ finalText, usage }: Json): void {
    const final = string(finalText) ?? '';
    // The final text is trimmed.
    const output = final === this.#answer.trim() ? this.#answer : final;
    this.#complete({ outcome: 'done', output, usage: this.#usageOf(object(usage)) });
  }

  /** The one object of `--output-format json`. */
  #result({ session_id: id, is_error: isError, result, usage: tokens }: Json): void {
    this.#identify({ session_id: id });
    const output = string(result) ?? '';
    const usage = this.#usageOf(object(tokens));
    if (isError === true) {
      return this.#complete({ outcome: 'failed', error: droidError(output), usage });
    }
    if (output !== '') this.#messages.complete({ messageId: 'result', kind: 'text' }, output);
    this.#complete({ outcome: 'done', output, usage });
  }

  #usageOf(usage: Json): Usage | undefined {
    return this.#since(tokensOf(usage));
  }

  #since(total: DroidTokens | undefined): Usage | undefined {
    if (!total || this.#earlier === 'unknown') return undefined;
    return usageOf(total, this.#earlier);
  }

  #complete(verdict: Verdict): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#out.complete(verdict);
  }
}

/** Droid's answer to a call that was not allowed. */
const REFUSED = /insufficient permission to proceed|is not permitted in this exec session/;
/** Droid's answer to a call that a person denied, and to one that an interrupt stopped. */
const CANCELLED = /Tool execution cancelled by user/;

/** Returns the outcome of a tool: Droid may not report a failed command as an error. */
export function toolOutcome(isError: unknown, output: string, awaitedAnswer = false): ToolOutcome {
  if (isError === true && REFUSED.test(output)) return 'denied';
  if (isError === true && CANCELLED.test(output)) return awaitedAnswer ? 'denied' : 'cancelled';
  return isError === true || exitCodeIn(output) ? 'error' : 'ok';
}

/** Returns the verdict for a Droid that exited without ending its turn. */
export function droidEnd(
  end: StreamEnd,
  facts: { lastError: ErrorInfo | undefined; understood: boolean },
): Verdict {
  return judgeEnd(end, LABEL, { noise: NOISE, words: [...WORDS, ...PROVIDER_WORDS], ...facts });
}

/** Returns the output of a tool as text. */
function outputOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return string(value) ?? JSON.stringify(value);
}

/** Returns the error for Droid's error text, which may begin with the provider's HTTP status. */
export function droidError(message: string): ErrorInfo {
  const words = withoutMiddle(message.replace(/^Error: /, ''));
  const rule = WORDS.find(([pattern]) => pattern.test(words));
  if (rule) return errorInfo(rule[1], words, rule[2] ? { hint: rule[2] } : {});
  const status = number(Number(/^(\d{3})\b/.exec(words)?.[1] ?? Number.NaN));
  const code = providerErrorCode({ status, words }) ?? 'agent_failed';
  return errorInfo(code, words || `${LABEL} failed.`);
}

function tokensOf(usage: Json): DroidTokens | undefined {
  const input = count(usage.input_tokens);
  const output = count(usage.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: count(usage.cache_read_input_tokens) ?? 0,
    cacheWrite: count(usage.cache_creation_input_tokens) ?? 0,
  };
}

/** Reads tokens as Droid notes them down, and as its own protocol tells them. */
export function notedTokens(usage: Json): DroidTokens | undefined {
  const input = count(usage.inputTokens);
  const output = count(usage.outputTokens);
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: count(usage.cacheReadTokens) ?? 0,
    cacheWrite: count(usage.cacheCreationTokens) ?? 0,
    thinking: count(usage.thinkingTokens),
  };
}

/** Returns the usage since an earlier count, as Baton counts it. */
export function usageOf(total: DroidTokens, earlier?: DroidTokens): Usage {
  const since = (name: keyof DroidTokens) =>
    Math.max((total[name] ?? 0) - (earlier?.[name] ?? 0), 0);
  const [cachedInputTokens, cacheWriteTokens] = [since('cacheRead'), since('cacheWrite')];
  const inputTokens = since('input') + cachedInputTokens + cacheWriteTokens;
  const outputTokens = since('output');
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens,
    ...(total.thinking === undefined ? {} : { reasoningTokens: since('thinking') }),
    totalTokens: inputTokens + outputTokens,
  };
}

/** The forms in which `droid exec` prints. */
export const droidFormats: readonly DialectEntry[] = [
  { transport: 'print', recognises: isPrinted, create: (out) => new DroidPrinted(out) },
  { transport: 'plain', recognises: () => false, create: droidText },
];

/** Reads a Droid that prints nothing but its answer; the reason for a failure is on standard error. */
function droidText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL, NOISE);
  return {
    line: (line) => text.line(line),
    end: (end) => {
      const verdict = text.end(end);
      return end.code ? droidEnd(end, { lastError: undefined, understood: true }) : verdict;
    },
  };
}

function isPrinted(line: string): boolean {
  const json = line.startsWith('{') ? parseJson(line) : undefined;
  if (!isObject(json)) return false;
  const { type, subtype } = json;
  if (type === 'system') return subtype === 'init' && 'reasoning_effort' in json;
  if (type === 'result') return 'factory_credits' in object(json.usage);
  return type === 'completion' && 'finalText' in json;
}
