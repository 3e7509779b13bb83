import { isObject, type Json, parseJson } from '@baton/config/values/json';
import type { Dialect, DialectOut } from '@baton/engine/definition/dialect';
import { plainText } from '@baton/engine/normalize/plain-text';
import { errorOf } from './errors.ts';
import { MAX_HELD, type Message, MessageLines } from './message-lines.ts';
import { type StreamAgent, verdictAtEnd } from './verdict.ts';

/** Readers for printed output, once it is known to be JSON or plain text. */
type PrintedReaders = { json(): Dialect; text(): Dialect };

/** Reads output that may be Claude's JSON, or plain text that looks like it: the content decides. */
export function printedOutput({ json, text }: PrintedReaders): Dialect {
  const lines = new MessageLines();
  const held: string[] = [];
  let heldLength = 0;
  let chosen: Dialect | undefined;
  const choose = (dialect: Dialect) => {
    chosen = dialect;
    for (const line of held.splice(0)) dialect.line(line);
    return dialect;
  };
  return {
    line(line) {
      if (chosen) return chosen.line(line);
      held.push(line);
      heldLength += line.length;
      if (hasClearBeginning(line) || lines.read(line).some(isPrintedMessage)) choose(json());
      else if (heldLength > MAX_HELD) choose(text());
    },
    end(end) {
      const isCut = beginsLikeClaude(
        lines
          .end()
          .map((message) => message.text)
          .join('\n'),
      );
      chosen ??= choose(isCut ? json() : text());
      return chosen.end(end);
    },
  };
}

function isPrintedMessage(message: Message): boolean {
  return message.json ? isClaudeMessage(message.json) : beginsLikeClaude(message.text);
}

/** Length of a printed answer that is kept, to identify its error. */
const KEPT_LENGTH = 2000;

/** Reads an answer in plain text; when the agent fails, the text says why. */
export function printedText(out: DialectOut, agent: StreamAgent): Dialect {
  const text = plainText(out, agent.label);
  let printed = '';
  return {
    line(line) {
      if (printed.length < KEPT_LENGTH) printed += `${line}\n`;
      text.line(line);
    },
    end(end) {
      if (printed === '') return verdictAtEnd(end, agent, { understood: false });
      const verdict = text.end(end);
      if (!end.code || verdict?.error?.code !== 'agent_crashed') return verdict;
      return { ...verdict, error: errorOf({ message: printed.trim() }, agent.label) };
    },
  };
}

const STREAM_TYPES = new Set<unknown>(['system', 'assistant', 'user', 'stream_event']);
const ROLES = new Set<unknown>(['assistant', 'user']);
/** Beginning of Claude's JSON. A person's JSON may have such a type too, but not in this place with a subtype. */
const BEGINNING = /^\[?\{"type":"(?:system|result)","subtype":"/;
const PRETTY_BEGINNING =
  /^(?:\[\s*)?\{\s*"type":\s*"(?:system|assistant|user|stream_event|result)"/;

/** True if a message can only come from a Claude that prints one message after another. */
export function isStreamMessage(line: Json): boolean {
  const { type } = line;
  if (typeof type !== 'string') return false;
  if (type.startsWith('control_')) return true;
  return (STREAM_TYPES.has(type) && typeof line.session_id === 'string') || hasNoSession(line);
}

/** A message of an older release, or one without its session id. */
function hasNoSession({ type, subtype, message }: Json): boolean {
  if (type === 'system') return subtype === 'init';
  return ROLES.has(type) && isObject(message) && Array.isArray(message.content);
}

/** True if a message can only come from Claude. */
function isClaudeMessage(message: Json): boolean {
  return message.type === 'result' || isStreamMessage(message);
}

/** True if a text that is not valid JSON begins like Claude's output. */
function beginsLikeClaude(text: string): boolean {
  return PRETTY_BEGINNING.test(text);
}

/** True if a line begins as only Claude's JSON does; the rest is not read. */
function hasClearBeginning(line: string): boolean {
  return BEGINNING.test(line);
}

/** True if one line proves that Claude printed its JSON, or began to before it was cut off. */
export function isPrintedLine(line: string): boolean {
  if (hasClearBeginning(line)) return true;
  const text = line.trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return false;
  const value = parseJson(text);
  if (value === undefined) return beginsLikeClaude(text);
  const messages = Array.isArray(value) ? value : [value];
  return messages.some((message) => isObject(message) && isClaudeMessage(message));
}
