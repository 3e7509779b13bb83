import type { DialectOut } from '../../dialect.ts';
import { type Json, number, object, string } from '../../normalize/json.ts';

type Kind = 'text' | 'thinking';
type Block = { messageId: string; kind: Kind; said: string };
/** One message of the model: its open blocks, and how many whole ones have come. */
type Stream = { id: string; open: Map<number, Block>; whole: number };

const EVENTS = new Set<unknown>([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
]);

/** Whether an event of the model's stream is known; what it does not say itself comes with the whole block. */
export function isKnownEvent({ type }: Json): boolean {
  return EVENTS.has(type);
}

/** Follows what the model says: pieces as they come, and whole blocks that end them or stand alone. */
export class Messages {
  #out: DialectOut;
  /** The message that each agent is speaking now, by the tool call of a sub-agent. */
  #streams = new Map<string | undefined, Stream>();

  constructor(out: DialectOut) {
    this.#out = out;
  }

  /** Reads an event of the model's stream. */
  piece(event: Json, parentId: string | undefined): void {
    if (event.type === 'message_start') {
      this.#stream(string(object(event.message).id) ?? '', parentId);
      return;
    }
    const stream = this.#streams.get(parentId);
    const index = number(event.index);
    if (!stream || index === undefined) return;
    if (event.type === 'content_block_start') {
      const kind = kindOf(object(event.content_block));
      if (kind) stream.open.set(index, { messageId: `${stream.id}:${index}`, kind, said: '' });
      return;
    }
    if (event.type !== 'content_block_delta') return;
    const block = stream.open.get(index);
    const delta = object(event.delta);
    const text = string(delta.text) ?? string(delta.thinking);
    if (block && text) this.#say(block, text, parentId);
  }

  /** Reads a whole block of a message. */
  block(messageId: string, content: Json, parentId: string | undefined): void {
    const stream = this.#stream(messageId, parentId);
    const index = stream.whole++;
    const kind = kindOf(content);
    const text = string(content.text) ?? string(content.thinking);
    if (!kind || !text) return;
    const streamed = takeFirst(stream.open, kind);
    if (streamed && text.startsWith(streamed.said)) {
      this.#say(streamed, text.slice(streamed.said.length), parentId);
      return this.#complete(streamed);
    }
    if (streamed) this.#complete(streamed, true);
    const block: Block = { messageId: `${messageId}:${index}`, kind, said: '' };
    this.#say(block, text, parentId);
    this.#complete(block);
  }

  /** Ends what is still open: the turn is over. */
  end(): void {
    for (const stream of this.#streams.values()) this.#drop(stream);
    this.#streams.clear();
  }

  /** The message with this id; another one that was being spoken has broken off and is asked for anew. */
  #stream(id: string, parentId: string | undefined): Stream {
    const current = this.#streams.get(parentId);
    if (current?.id === id) return current;
    if (current) this.#drop(current);
    const stream: Stream = { id, open: new Map(), whole: 0 };
    this.#streams.set(parentId, stream);
    return stream;
  }

  #drop(stream: Stream): void {
    for (const block of stream.open.values()) this.#complete(block, true);
    stream.open.clear();
  }

  #say(block: Block, text: string, parentId: string | undefined): void {
    if (text === '') return;
    const { messageId, kind } = block;
    if (block.said === '') this.#out.emit({ type: 'message.started', messageId, kind, parentId });
    block.said += text;
    this.#out.emit({ type: 'message.delta', messageId, text, parentId });
  }

  #complete({ messageId, said }: Block, incomplete?: boolean): void {
    if (said === '') return;
    this.#out.emit({ type: 'message.completed', messageId, incomplete });
  }
}

function kindOf(block: Json): Kind | undefined {
  return block.type === 'text' || block.type === 'thinking' ? block.type : undefined;
}

function takeFirst(open: Map<number, Block>, kind: Kind): Block | undefined {
  for (const [index, block] of open) {
    if (block.kind !== kind) continue;
    open.delete(index);
    return block;
  }
  return undefined;
}
