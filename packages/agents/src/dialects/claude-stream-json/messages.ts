import { type Json, number, object, string } from '@baton/config/values/json';
import type { DialectOut } from '@baton/engine/definition/dialect';
import { type AssembledMessage, MessageAssembly } from '@baton/engine/kit/message-assembly';

/** One message of the model: its open blocks by their index, and how many whole ones have come. */
type Stream = { id: string; open: Map<number, AssembledMessage>; whole: number };

const EVENTS = new Set<unknown>([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
]);

/** True if an event of the model's stream is known; what it lacks comes with the complete block. */
export function isKnownEvent({ type }: Json): boolean {
  return EVENTS.has(type);
}

/** Blocks of a user message that only repeat the agent's input. */
const PROMPT_BLOCKS = new Set<unknown>(['text', 'image', 'document']);

/** The blocks of a message; a text in their place is one block. Nothing when there are none to be found. */
export function blocksOf({ message }: Json): Json[] | undefined {
  const { content } = object(message);
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(object) : undefined;
}

/** All that the text blocks of a message say. */
export function textOf(line: Json): string {
  return (blocksOf(line) ?? []).flatMap(({ text }) => string(text) || []).join('\n');
}

/** True if a block of a user message only repeats the agent's input. */
export function isPromptBlock({ type }: Json): boolean {
  return PROMPT_BLOCKS.has(type);
}

/** True if a text is the agent's own note that it was interrupted. */
export function isInterruptionNote({ text }: Json): boolean {
  return (
    text === '[Request interrupted by user]' ||
    text === '[Request interrupted by user for tool use]'
  );
}

/** Follows the messages of the model: deltas as they arrive, and complete blocks that end them or stand alone. */
export class Messages {
  #assembly: MessageAssembly;
  /** The message that each agent is speaking now, by the tool call of a sub-agent. */
  #streams = new Map<string | undefined, Stream>();

  constructor(out: DialectOut) {
    this.#assembly = new MessageAssembly(out.emit);
  }

  /** Reads an event of the model's stream. */
  streamEvent(event: Json, parentId: string | undefined): void {
    if (event.type === 'message_start') {
      this.#stream(string(object(event.message).id) ?? '', parentId);
      return;
    }
    const stream = this.#streams.get(parentId);
    const index = number(event.index);
    if (!stream || index === undefined) return;
    if (event.type === 'content_block_start') {
      const message = messageOf(stream.id, index, object(event.content_block), parentId);
      if (message) stream.open.set(index, message);
      return;
    }
    if (event.type !== 'content_block_delta') return;
    const message = stream.open.get(index);
    const delta = object(event.delta);
    const text = string(delta.text) ?? string(delta.thinking);
    if (message && text) this.#assembly.append(message, text);
  }

  /** Reads a whole block of a message. */
  block(messageId: string, content: Json, parentId: string | undefined): void {
    const stream = this.#stream(messageId, parentId);
    const index = stream.whole++;
    const message = messageOf(messageId, index, content, parentId);
    const text = string(content.text) ?? string(content.thinking);
    if (!message || !text) return;
    this.#assembly.complete(takeFirst(stream.open, message.kind) ?? message, text);
  }

  /** Ends the open messages: the turn is over, but sub-agents in the background may continue. */
  end(keepsSubAgents: boolean): void {
    if (keepsSubAgents) {
      this.#assembly.breakOff(undefined);
      this.#streams.delete(undefined);
      return;
    }
    this.#assembly.breakOffAll();
    this.#streams.clear();
  }

  /** The message with this id; another one that was being spoken has broken off and is asked for anew. */
  #stream(id: string, parentId: string | undefined): Stream {
    const current = this.#streams.get(parentId);
    if (current?.id === id) return current;
    if (current) this.#assembly.breakOff(parentId);
    const stream: Stream = { id, open: new Map(), whole: 0 };
    this.#streams.set(parentId, stream);
    return stream;
  }
}

/** The message that a block of text or thinking is. */
function messageOf(
  id: string,
  index: number,
  { type }: Json,
  parentId: string | undefined,
): AssembledMessage | undefined {
  if (type !== 'text' && type !== 'thinking') return undefined;
  return { messageId: `${id}:${index}`, kind: type, parentId, speaker: parentId };
}

function takeFirst(
  open: Map<number, AssembledMessage>,
  kind: AssembledMessage['kind'],
): AssembledMessage | undefined {
  for (const [index, message] of open) {
    if (message.kind !== kind) continue;
    open.delete(index);
    return message;
  }
  return undefined;
}
