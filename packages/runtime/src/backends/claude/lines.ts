import { isObject, type Json, parseJson } from '../../normalize/json.ts';

/** One message of Claude, with the text it was read from; `json` is missing when the text is none. */
export type Message = { text: string; json?: Json | undefined };

/**
 * Finds the messages in lines of output: one object a line, one array of all messages, or either of them
 * printed over several lines.
 */
export class MessageLines {
  #held: string[] = [];

  /** Reads a line and gives the messages that are whole now. */
  read(line: string): Message[] {
    if (this.#held.length > 0) return this.#hold(line);
    const text = line.trim();
    if (text === '') return [];
    if (text === '[' || text === '{') return this.#hold(line);
    return messagesOf(text);
  }

  /** Gives the lines of a message that was never finished. */
  end(): Message[] {
    return this.#held.splice(0).map((text) => ({ text }));
  }

  #hold(line: string): Message[] {
    // Within a message everything is indented: what was held is none.
    if (this.#held.length > 0 && /^[{[]/.test(line)) return [...this.end(), ...this.read(line)];
    this.#held.push(line);
    // Only the bracket that closes the whole stands at the very beginning of a line.
    const close = this.#held[0]?.trim() === '[' ? ']' : '}';
    if (line.trimEnd() !== close) return [];
    return messagesOf(this.#held.splice(0).join('\n'));
  }
}

function messagesOf(text: string): Message[] {
  const value = text.startsWith('{') || text.startsWith('[') ? parseJson(text) : undefined;
  if (isObject(value)) return [{ text, json: value }];
  if (!Array.isArray(value)) return [{ text }];
  return value.map((one) => ({
    text: JSON.stringify(one),
    json: isObject(one) ? one : undefined,
  }));
}
