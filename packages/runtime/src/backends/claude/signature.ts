import { isObject, type Json, parseJson } from '../../normalize/json.ts';

const STREAM_TYPES = new Set<unknown>(['system', 'assistant', 'user', 'stream_event']);
const SPEAKERS = new Set<unknown>(['assistant', 'user']);
/** How Claude's JSON begins. A person's JSON may have such a type too, but not in this place with a subtype. */
const BEGINNING = /^\[?\{"type":"(?:system|result)","subtype":"/;
const PRETTY_BEGINNING =
  /^(?:\[\s*)?\{\s*"type":\s*"(?:system|assistant|user|stream_event|result)"/;

/** Whether a message could only come from a Claude that prints one message after another. */
export function isStreamMessage(line: Json): boolean {
  const { type } = line;
  if (typeof type !== 'string') return false;
  if (type.startsWith('control_')) return true;
  return (STREAM_TYPES.has(type) && typeof line.session_id === 'string') || isNameless(line);
}

/** A message of an older release, or one that somebody has taken the session out of. */
function isNameless({ type, subtype, message }: Json): boolean {
  if (type === 'system') return subtype === 'init';
  return SPEAKERS.has(type) && isObject(message) && Array.isArray(message.content);
}

/** Whether a message could only come from Claude. */
export function isClaudeMessage(message: Json): boolean {
  return message.type === 'result' || isStreamMessage(message);
}

/** Whether a text that is no JSON is the beginning of what Claude prints. */
export function beginsLikeClaude(text: string): boolean {
  return PRETTY_BEGINNING.test(text);
}

/** Whether a line begins as only Claude's JSON does; told without reading all of it. */
export function isSureStart(line: string): boolean {
  return BEGINNING.test(line);
}

/** Whether one line is enough to know that Claude printed its JSON, or, having been cut off, began to. */
export function isClaudeLine(line: string): boolean {
  if (isSureStart(line)) return true;
  const text = line.trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return false;
  const value = parseJson(text);
  if (value === undefined) return beginsLikeClaude(text);
  const messages = Array.isArray(value) ? value : [value];
  return messages.some((message) => isObject(message) && isClaudeMessage(message));
}
