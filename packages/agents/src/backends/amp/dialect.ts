import { array, isObject, type Json, object, parseJson, string } from '@baton/config/values/json';
import type { Dialect, DialectOut } from '@baton/engine/definition/dialect';
import { PROVIDER_WORDS } from '@baton/engine/kit/provider-errors';
import { type ErrorInfo, errorInfo } from '@baton/protocol/values';
import { StreamJsonReader } from '../../dialects/claude-stream-json/reader.ts';
import type { StreamAgent } from '../../dialects/claude-stream-json/verdict.ts';

export const LOGIN_HINT = 'Set AMP_API_KEY, or run "amp login".';

/** Name of Amp in errors, and error codes by its text on standard error. */
export const AMP: StreamAgent = {
  label: 'Amp',
  words: [
    [/missing API key|No API key found|getUserInfo failed: 40[13]/i, 'auth_missing', LOGIN_HINT],
    [/Couldn't connect to the Amp server/i, 'network_unreachable'],
    [/thread .*not found|invalid thread/i, 'session_not_found'],
    [/Unknown command|unknown option/i, 'usage'],
    ...PROVIDER_WORDS,
  ],
};

/** Amp prints what Claude Code prints, and its login prompt among it. */
export function ampDialect(out: DialectOut, isResumed = false): Dialect {
  const reader = new StreamJsonReader(out, { agent: AMP });
  const history = new History(isResumed);
  let refusal: ErrorInfo | undefined;
  return {
    prompt: ({ text }) => history.expect(text),
    line(line) {
      if (!LOGIN_PROMPT.test(line)) {
        for (const each of history.pass(line)) reader.line(asClaude(each));
        return;
      }
      const message = 'Amp is not logged in: it asked for a login instead of running the prompt.';
      refusal = errorInfo('auth_missing', message, { hint: LOGIN_HINT });
      out.giveUp?.(refusal);
    },
    end(end) {
      for (const each of history.end()) reader.line(asClaude(each));
      return refusal ? { outcome: 'failed', error: refusal } : reader.end(end);
    },
  };
}

const LOGIN_PROMPT = /^No API key found\. Starting login flow/;

/**
 * Rewrites a line as Claude Code would print it: Amp puts the error of a turn and the result of a command elsewhere.
 */
function asClaude(line: string): string {
  if (!/"type":\s*"(?:result|user)"/.test(line)) return line;
  const json = parseJson(line);
  if (!isObject(json)) return line;
  const { type, error, result, message } = json;
  if (type === 'result' && typeof error === 'string' && result === undefined) {
    return JSON.stringify({ ...json, error: undefined, result: error });
  }
  const blocks = array(object(message).content);
  const ended = blocks.map(commandResult);
  if (type !== 'user' || ended.every((each) => each === undefined)) return line;
  const content = blocks.map((block, index) => ended[index] ?? block);
  // Details, even empty ones, say that a command is over.
  return JSON.stringify({ ...json, message: { ...object(message), content }, tool_use_result: {} });
}

/** The result of a command, which Amp prints as JSON with output and exit code. */
function commandResult(block: unknown): Json | undefined {
  const { type, content, ...rest } = object(block);
  if (type !== 'tool_result' || typeof content !== 'string') return undefined;
  const { output, exitCode } = object(content.startsWith('{') ? parseJson(content) : undefined);
  if (typeof output !== 'string' || typeof exitCode !== 'number') return undefined;
  if (exitCode === 0) return { ...rest, type, content: output };
  return { ...rest, type, content: `Exit code ${exitCode}\n${output}`, is_error: true };
}

/** A continued thread may print what was said before; the prompt, which Amp repeats, is where the new turn begins. */
class History {
  #held: string[] = [];
  #prompt: string | undefined;
  #isOver: boolean;

  constructor(isResumed: boolean) {
    this.#isOver = !isResumed;
  }

  expect(prompt: string): void {
    this.#prompt = prompt.trim();
  }

  /** The lines that can be read now. */
  pass(line: string): string[] {
    if (this.#isOver) return [line];
    const json = object(parseJson(line));
    if (json.type === 'result') return [...this.end(), line];
    if (json.type !== 'user' && json.type !== 'assistant') return [line];
    if (json.type !== 'user' || promptIn(json) !== this.#prompt) {
      this.#held.push(line);
      return [];
    }
    this.#isOver = true;
    this.#held = [];
    return [line];
  }

  /** Without the prompt nothing is known to be old. */
  end(): string[] {
    this.#isOver = true;
    return this.#held.splice(0);
  }
}

function promptIn({ message }: Json): string | undefined {
  const texts = array(object(message).content).flatMap((block) => string(object(block).text) ?? []);
  return texts.length > 0 ? texts.join('\n').trim() : undefined;
}
