import { stripVTControlCharacters } from 'node:util';
import { isObject, type Json, object, parseJson, string } from '@baton/config/values/json';
import type {
  Dialect,
  DialectEntry,
  DialectOut,
  StreamEnd,
  Verdict,
} from '@baton/engine/definition/dialect';
import { MessageAssembly } from '@baton/engine/kit/message-assembly';
import { agentWarning } from '@baton/engine/kit/notices';
import { PROVIDER_WORDS } from '@baton/engine/kit/provider-errors';
import { planEntries } from '@baton/engine/normalize/actions';
import { judgeEnd } from '@baton/engine/normalize/end-verdict';
import { plainText } from '@baton/engine/normalize/plain-text';
import { strayLine } from '@baton/engine/normalize/stray-line';
import { addUsage, type ErrorInfo, errorInfo, type Usage } from '@baton/protocol/values';
import { finishVerdict, LABEL, NOISE, openCodeError, WORDS } from './errors.ts';
import { isRefusal, stepUsage, toolCompleted, toolStarted } from './parts.ts';

/** A step ends in this way when the model waits for the results of its tools. */
const MORE_TO_COME = 'tool-calls';

const ALL_WORDS = [...WORDS, ...PROVIDER_WORDS];

/** Reads what `opencode run --format json` prints: whole parts of messages, and nothing for the end. */
export class OpenCodeJson implements Dialect {
  #out: DialectOut;
  #messages: MessageAssembly;
  #usage: Usage | undefined;
  /** Text of the model in its last step. */
  #answer: string[] = [];
  /** Reason for the end of that step. */
  #reason: string | undefined;
  #wasDenied = false;
  #firstError: ErrorInfo | undefined;
  #understood = false;

  constructor(out: DialectOut) {
    this.#out = out;
    this.#messages = new MessageAssembly(out.emit);
  }

  line(line: string): void {
    const json = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(json)) return strayLine(line, this.#out.emit);
    if (this.#read(json)) this.#understood = true;
    else this.#out.emit({ type: 'unparsed', source: 'stdout', line });
  }

  stderrLine(line: string): boolean {
    const words = stripVTControlCharacters(line);
    const asked = /^! permission requested: (.+); auto-rejecting/.exec(words)?.[1];
    if (asked === undefined) return false;
    this.#out.emit(agentWarning(`${LABEL} could not ask for permission and was denied: ${asked}`));
    return true;
  }

  end(end: StreamEnd): Verdict {
    const usage = this.#usage;
    const hasFinished = end.code === 0 && !this.#firstError && this.#reason !== undefined;
    if (hasFinished && this.#reason !== MORE_TO_COME) {
      return { ...finishVerdict(this.#reason, this.#answer.join('\n\n')), usage };
    }
    if (hasFinished && this.#wasDenied) {
      const message = `${LABEL} stopped because a tool was denied.`;
      return { outcome: 'failed', error: errorInfo('permission_denied', message), usage };
    }
    const verdict = judgeEnd(end, LABEL, {
      noise: NOISE,
      words: ALL_WORDS,
      lastError: this.#firstError,
      understood: this.#understood,
    });
    return { ...verdict, usage };
  }

  #read(json: Json): boolean {
    const part = object(json.part);
    const { type, sessionID } = json;
    if (typeof sessionID === 'string') {
      this.#out.emit({ type: 'run.identified', nativeSessionId: sessionID });
    }
    if (type === 'step_start') this.#answer = [];
    else if (type === 'text') this.#said('text', part);
    else if (type === 'reasoning') this.#said('thinking', part);
    else if (type === 'tool_use') this.#used(part);
    else if (type === 'step_finish') this.#stepped(part);
    else if (type === 'error') this.#firstError ??= openCodeError(object(json.error));
    else return false;
    return true;
  }

  #said(kind: 'text' | 'thinking', part: Json): void {
    const text = string(part.text) ?? '';
    if (kind === 'text' && text !== '') this.#answer.push(text);
    this.#messages.complete({ messageId: string(part.id) ?? 'message', kind }, text);
  }

  /** Reports a call, which OpenCode prints only when it has ended. */
  #used(part: Json): void {
    const { status, input, error } = object(part.state);
    const started = toolStarted(part);
    this.#wasDenied ||= isRefusal(error);
    this.#out.emit(started);
    if (started.action.type === 'plan' && status === 'completed') {
      this.#out.emit({ type: 'plan.updated', entries: planEntries(object(input).todos) ?? [] });
    }
    this.#out.emit(toolCompleted(part));
  }

  #stepped(part: Json): void {
    this.#reason = string(part.reason);
    this.#usage = addUsage(this.#usage, stepUsage(part));
    if (this.#usage) this.#out.emit({ type: 'usage.updated', usage: this.#usage });
  }
}

/** The forms in which `opencode run` prints; the last is for everything else. */
export const openCodeFormats: readonly DialectEntry[] = [
  { transport: 'print', recognises: isPrintedEvent, create: (out) => new OpenCodeJson(out) },
  { transport: 'plain', recognises: () => false, create: openCodeText },
];

/** Reads `opencode run` in its default format: the answer stands on standard output, everything else on standard error. */
function openCodeText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL, NOISE);
  return {
    line: (line) => text.line(line),
    end: (end) =>
      end.code ? judgeEnd(end, LABEL, { noise: NOISE, words: ALL_WORDS }) : text.end(end),
  };
}

function isPrintedEvent(line: string): boolean {
  const json = line.startsWith('{') ? parseJson(line) : undefined;
  if (!isObject(json) || typeof json.sessionID !== 'string') return false;
  return isObject(json.part) || (json.type === 'error' && isObject(json.error));
}
