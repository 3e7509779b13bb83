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
import { agentWarning } from '@baton/engine/kit/notices';
import { PROVIDER_WORDS, providerErrorCode } from '@baton/engine/kit/provider-errors';
import { actionOf } from '@baton/engine/normalize/actions';
import { judgeEnd, type WordsRule } from '@baton/engine/normalize/end-verdict';
import { withoutMiddle } from '@baton/engine/normalize/error-text';
import { plainText } from '@baton/engine/normalize/plain-text';
import { strayLine } from '@baton/engine/normalize/stray-line';
import {
  addUsage,
  type ErrorCode,
  type ErrorInfo,
  errorInfo,
  type Usage,
} from '@baton/protocol/values';

export const LABEL = 'Gemini CLI';

/** Lines that Gemini CLI writes to standard error in healthy runs. */
export const NOISE: readonly RegExp[] = [
  /^Warning: (?:256-color|True color|Basic terminal)/,
  /^YOLO mode is enabled/,
  /^Ripgrep is not available/,
  /^\[STARTUP\]/,
  /^Skipping project agents due to untrusted folder/,
  /^Project hooks disabled because the folder is not trusted/,
  /^Loaded cached credentials/,
  /^Keychain initialization/,
  /^Using FileKeychain fallback/,
];

/** Error codes by error text. */
export const WORDS: readonly WordsRule[] = [
  // Google says "quota" for both.
  [/resource has been exhausted|rate limit|retry in \d/i, 'rate_limited'],
  [
    /not running in a trusted directory|untrusted (?:folder|workspace|directory)/i,
    'trust_required',
    'Trust the folder with "baton trust", or use the live transport.',
  ],
  [
    /Invalid auth method selected|API key is missing|set an Auth method|GEMINI_API_KEY environment variable not found/i,
    'auth_missing',
    'Set GEMINI_API_KEY, or log in with "gemini".',
  ],
  [
    /Error resuming session|No previous sessions found|Invalid session identifier|Session not found/i,
    'session_not_found',
  ],
  [/Session ID .* already exists|already in use/i, 'usage'],
  [/No input provided via stdin/i, 'usage'],
  [/Unknown argument|Invalid values:|Not enough arguments|Cannot use both/i, 'usage'],
];

/**
 * Error codes by exit code: the lower ones are Gemini's own, those above 100 are an HTTP status without its hundreds.
 */
const EXITS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  41: ['auth_missing', 'Gemini CLI could not log in.'],
  42: ['usage', 'Gemini CLI did not take the input or the session.'],
  44: ['config_invalid', 'Gemini CLI could not start its sandbox.'],
  52: ['config_invalid', 'Gemini CLI cannot read its settings.'],
  53: ['max_turns', 'Gemini CLI used all the turns it was allowed.'],
  54: ['agent_failed', 'A tool of Gemini CLI failed for good.'],
  55: [
    'trust_required',
    'Gemini CLI does not work without an interface in a folder that nobody trusted.',
  ],
  144: ['request_rejected', 'The provider rejected the request.'],
  145: ['auth_missing', 'The provider refused the credentials.'],
  173: ['rate_limited', 'The provider limits the rate.'],
  244: ['provider_error', 'The provider failed.'],
  247: ['overloaded', 'The provider is overloaded.'],
};

/** Reads what `gemini` prints: its stream of messages, or one JSON value over several lines. */
export class GeminiPrinted implements Dialect {
  #out: DialectOut;
  #messages: MessageAssembly;
  #count = 0;
  #isSpeaking = false;
  /** The last words of the model: what it said since the last tool. */
  #answer = '';
  /** Text from before a stream broke off; Gemini silently repeats it. */
  #repeated: string | undefined;
  #calls = new Set<string>();
  #lastError: ErrorInfo | undefined;
  #understood = false;
  #hasEnded = false;
  /** The lines of a JSON value that is not whole yet. */
  #pending: string[] = [];

  constructor(out: DialectOut) {
    this.#out = out;
    this.#messages = new MessageAssembly(out.emit);
  }

  line(line: string): void {
    if (this.#pending.length > 0 || line === '{') return this.#collect(line);
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return strayLine(line, this.#out.emit);
    if (json.type === undefined && 'response' in json) this.#whole(json);
    else if (this.#read(json)) this.#understood = true;
    else this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  stderrLine(line: string): boolean {
    if (NOISE.some((pattern) => pattern.test(line))) return true;
    if (!/^Attempt \d+ failed/.test(line)) return false;
    // The answer begins anew, and nothing in the output says so.
    this.#repeated = this.#answer;
    this.#out.emit({ type: 'notice', level: 'warning', code: 'retry', message: line.trim() });
    return true;
  }

  end(end: StreamEnd): Verdict | undefined {
    if (this.#pending.length > 0)
      for (const line of this.#pending.splice(0)) strayLine(line, this.#out.emit);
    if (this.#hasEnded) return undefined;
    return geminiEnd(end, { lastError: this.#lastError, understood: this.#understood });
  }

  #collect(line: string): void {
    this.#pending.push(line);
    if (line !== '}') return;
    const json = parseJson(this.#pending.join('\n'));
    if (!isObject(json)) return;
    this.#pending = [];
    this.#understood = true;
    this.#whole(json);
  }

  /** The one value of `--output-format json`. */
  #whole({ session_id: id, response, stats, error }: Json): void {
    this.#identify(id);
    if (isObject(error)) return this.#complete({ outcome: 'failed', error: geminiError(error) });
    const output = string(response) ?? '';
    if (output !== '') this.#messages.complete(this.#message(), output);
    const usage = wholeUsage(object(stats));
    const usageByModel = byModel(object(stats), wholeModelUsage);
    this.#complete({ outcome: 'done', output, usage, usageByModel });
  }

  #read(json: Json): boolean {
    const { type } = json;
    if (type === 'init') this.#identify(json.session_id, string(json.model));
    else if (type === 'message') this.#said(json);
    else if (type === 'tool_use') this.#called(json);
    else if (type === 'tool_result') this.#returned(json);
    else if (type === 'error') this.#failed(json);
    else if (type === 'result') this.#result(json);
    else return false;
    return true;
  }

  #identify(id: unknown, model?: string): void {
    if (typeof id !== 'string') return;
    this.#out.emit({ type: 'run.identified', nativeSessionId: id, model });
  }

  #message() {
    return { messageId: `message-${this.#count}`, kind: 'text' } as const;
  }

  #said({ role, content, delta }: Json): void {
    const words = string(content) ?? '';
    if (role !== 'assistant' || words === '') return;
    if (!this.#isSpeaking) this.#count += 1;
    this.#isSpeaking = true;
    const added = this.#withoutRepetition(words);
    this.#answer += added;
    this.#messages.append(this.#message(), added);
    if (delta !== true) this.#endMessage();
  }

  /** After a silent retry the same words come again; they are not shown twice. */
  #withoutRepetition(words: string): string {
    const left = this.#repeated;
    if (!left) return words;
    if (left.startsWith(words)) {
      this.#repeated = left.slice(words.length);
      return '';
    }
    this.#repeated = undefined;
    return words.startsWith(left) ? words.slice(left.length) : words;
  }

  #endMessage(): void {
    if (!this.#isSpeaking) return;
    this.#messages.complete(this.#message());
    this.#isSpeaking = false;
  }

  #called({ tool_name: tool, tool_id: id, parameters: input }: Json): void {
    this.#endMessage();
    this.#answer = '';
    this.#repeated = undefined;
    const callId = string(id) ?? '';
    const name = string(tool) ?? 'tool';
    this.#calls.add(callId);
    this.#out.emit({ type: 'tool.started', callId, name, action: actionOf(name, input), input });
  }

  #returned({ tool_id: id, status, output, error }: Json): void {
    const callId = string(id) ?? '';
    if (!this.#calls.delete(callId)) return;
    const reason = string(object(error).message);
    const words = string(output) || reason;
    const outcome = status === 'success' ? 'ok' : isRefusal(object(error)) ? 'denied' : 'error';
    this.#out.emit({ type: 'tool.completed', callId, outcome, output: words });
  }

  #failed({ severity, message }: Json): void {
    const words = string(message) ?? '';
    // An error without a severity explains a failure, but does not make one.
    if (severity === 'error' || severity === undefined)
      this.#lastError ??= geminiError({ message: words });
    this.#out.emit(agentWarning(words));
  }

  #result({ status, error, stats }: Json): void {
    const usage = streamUsage(object(stats));
    const usageByModel = byModel(object(stats), streamUsage);
    if (status === 'success') {
      return this.#complete({ outcome: 'done', output: this.#answer, usage, usageByModel });
    }
    const reason = this.#lastError ?? geminiError(object(error));
    this.#complete({ outcome: 'failed', error: reason, usage, usageByModel });
  }

  #complete(verdict: Verdict): void {
    this.#endMessage();
    this.#hasEnded = true;
    this.#out.complete(verdict);
  }
}

/** Judges a Gemini CLI that left without a result; in JSON mode the reason is at the end of standard error. */
function geminiEnd(
  end: StreamEnd,
  facts: { lastError: ErrorInfo | undefined; understood: boolean },
): Verdict {
  const told = facts.lastError ?? errorInStderr(end.stderr);
  const words = WORDS.find(([pattern]) => end.code && pattern.test(end.stderr));
  const exit = end.code == null ? undefined : EXITS[end.code];
  const verdict = judgeEnd(end, LABEL, {
    noise: NOISE,
    words: [...WORDS, ...PROVIDER_WORDS],
    lastError: told,
    understood: facts.understood,
  });
  if (told || words || !exit || verdict.error?.code !== 'agent_crashed') return verdict;
  return { ...verdict, error: errorInfo(exit[0], `${exit[1]} ${verdict.error.message}`) };
}

function errorInStderr(stderr: string): ErrorInfo | undefined {
  const start = stderr.lastIndexOf('\n{\n');
  const from = start === -1 && stderr.startsWith('{\n') ? 0 : start + 1;
  const json = start === -1 && from !== 0 ? undefined : parseJson(stderr.slice(from).trim());
  const { error } = object(json);
  return isObject(error) ? geminiError(error) : undefined;
}

/** Returns the error for Gemini's error text, which may contain the provider's answer as JSON. */
function geminiError({ message, code }: Json): ErrorInfo {
  const words = string(message) ?? '';
  const rule = WORDS.find(([pattern]) => pattern.test(words));
  if (rule) return errorInfo(rule[1], words, rule[2] ? { hint: rule[2] } : {});
  const api = object(object(parseJson(/\{.*\}/s.exec(words)?.[0] ?? '')).error);
  const told = string(api.message) ?? words;
  const status =
    number(api.code) ?? (number(code) && Number(code) >= 400 ? Number(code) : undefined);
  const own = number(code) === undefined ? undefined : EXITS[Number(code)]?.[0];
  const known = providerErrorCode({ status, words: told }) ?? own ?? 'agent_failed';
  return errorInfo(known, withoutMiddle(told) || `${LABEL} failed.`);
}

function isRefusal({ type }: Json): boolean {
  return type === 'policy_violation' || type === 'user_cancelled' || type === 'permission_denied';
}

/** Gemini counts thoughts only in the total. */
function streamUsage(stats: Json): Usage | undefined {
  const inputTokens = count(stats.input_tokens);
  const totalTokens = count(stats.total_tokens);
  if (inputTokens === undefined || totalTokens === undefined) return undefined;
  return {
    inputTokens,
    cachedInputTokens: count(stats.cached),
    outputTokens: Math.max(totalTokens - inputTokens, 0),
    totalTokens,
  };
}

function wholeUsage(stats: Json): Usage | undefined {
  const models = Object.values(byModel(stats, wholeModelUsage));
  return models.reduce<Usage | undefined>(addUsage, undefined);
}

function wholeModelUsage(model: Json): Usage {
  const tokens = object(model.tokens);
  const read = (name: string) => count(tokens[name]) ?? 0;
  const inputTokens = read('prompt');
  return {
    inputTokens,
    cachedInputTokens: read('cached'),
    outputTokens: Math.max(read('total') - inputTokens, 0),
    reasoningTokens: read('thoughts'),
    totalTokens: read('total'),
  };
}

/** Returns the usage by model: Gemini routes requests between models that have different prices. */
function byModel(
  { models }: Json,
  read: (model: Json) => Usage | undefined,
): Readonly<Record<string, Usage>> {
  const known = Object.entries(object(models)).flatMap(([name, model]) => {
    const usage = read(object(model));
    return usage ? [[name, usage] as const] : [];
  });
  return Object.fromEntries(known);
}

/** True for the one value of `--output-format json`. */
function isWhole(json: Json): boolean {
  return json.type === undefined && typeof json.session_id === 'string' && 'response' in json;
}

/** The forms in which `gemini` prints. */
export const geminiFormats: readonly DialectEntry[] = [
  {
    transport: 'print',
    recognises: isStreamLine,
    mayBe: (line) => line === '{',
    create: (out) => new GeminiPrinted(out),
  },
  { transport: 'plain', recognises: () => false, create: geminiText },
];

/** Reads `gemini` without an output format: the answer stands on standard output. */
function geminiText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL, NOISE);
  return {
    line: (line) => text.line(line),
    end: (end) => {
      const verdict = text.end(end);
      if (verdict?.error?.code !== 'agent_crashed') return verdict;
      return geminiEnd(end, { lastError: undefined, understood: true });
    },
  };
}

function isStreamLine(line: string): boolean {
  const json = line.startsWith('{') ? parseJson(line) : undefined;
  if (!isObject(json)) return false;
  if (isWhole(json)) return true;
  const isInit = json.type === 'init' && 'session_id' in json && 'timestamp' in json;
  return isInit || (json.type === 'tool_use' && 'tool_id' in json);
}
