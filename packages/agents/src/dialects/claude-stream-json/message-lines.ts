import { isObject, type Json, parseJson } from '@baton/config/values/json';

/** One message of Claude, with the text it was read from; `json` is missing when the text is none. */
export type Message = { readonly text: string; readonly json?: Json | undefined };

/** No more than this is held back for the end of a message, as much as one line may have. */
export const MAX_HELD = 64 * 1024 * 1024;

/**
 * Finds the messages in lines of output: one object a line, one array of all messages, or either of them
 * printed over several lines.
 */
export class MessageLines {
  #held: string[] = [];
  #heldLength = 0;
  #maxHeld: number;

  constructor(maxHeld = MAX_HELD) {
    this.#maxHeld = maxHeld;
  }

  /** Reads a line and gives the messages that are whole now. */
  read(line: string): readonly Message[] {
    if (this.#held.length > 0) return this.#hold(line);
    const text = line.trim();
    if (text === '') return [];
    if (text === '[' || text === '{') return this.#hold(line);
    return messagesOf(text);
  }

  /** Returns the lines of a message that was never finished. */
  end(): Message[] {
    return this.#release().map((text) => ({ text }));
  }

  #hold(line: string): readonly Message[] {
    // Within a message everything is indented: what was held is none.
    if (this.#held.length > 0 && /^[{[]/.test(line)) return [...this.end(), ...this.read(line)];
    this.#held.push(line);
    this.#heldLength += line.length;
    // Only the bracket that closes the whole is at the very start of a line.
    const close = this.#held[0]?.trim() === '[' ? ']' : '}';
    if (line.trimEnd() === close) return messagesOf(this.#release().join('\n'));
    return this.#heldLength > this.#maxHeld ? this.end() : [];
  }

  #release(): string[] {
    this.#heldLength = 0;
    return this.#held.splice(0);
  }
}

/** A message out of an array. Its text is made when asked for: that takes longer than all the rest. */
class Element implements Message {
  readonly json: Json | undefined;
  #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
    this.json = isObject(value) ? value : undefined;
  }

  get text(): string {
    return JSON.stringify(this.#value);
  }
}

function messagesOf(text: string): readonly Message[] {
  const value = text.startsWith('{') || text.startsWith('[') ? parseJson(text) : undefined;
  if (isObject(value)) return [{ text, json: value }];
  if (!Array.isArray(value)) return [{ text }];
  return value.map((one) => new Element(one));
}
