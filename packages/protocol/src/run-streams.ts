import type { AgentEvent } from './event.ts';

/**
 * The text of an agent's answer as it streams, with a blank line between messages. It is no generator, because a
 * generator that waits for the next event cannot be left before that comes.
 */
export function textOf(events: AsyncIterator<AgentEvent>): AsyncIterableIterator<string> {
  let lastMessage: string | undefined;
  return {
    async next() {
      for (;;) {
        const { value: event, done } = await events.next();
        if (done) return { value: undefined, done: true };
        if (event.type !== 'message.delta' || event.kind !== 'text' || event.parentId) continue;
        const isFurther = lastMessage !== undefined && lastMessage !== event.messageId;
        lastMessage = event.messageId;
        return { value: isFurther ? `\n\n${event.text}` : event.text, done: false };
      }
    },
    async return() {
      await events.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Proxies cut connections that are silent for longer: 60 seconds is usual. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ': keep-alive\n\n';

/**
 * Events as server-sent events: the number of each is its id, and its JSON the data. While the agent is silent a comment
 * keeps the connection, and makes writers notice one that is gone.
 */
export function serverSentEvents(events: AsyncIterator<AgentEvent>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let coming: Promise<IteratorResult<AgentEvent>> | undefined;
  return new ReadableStream({
    async pull(controller) {
      coming ??= events.next();
      const next = await within(KEEP_ALIVE_MS, coming);
      if (!next) return controller.enqueue(encoder.encode(KEEP_ALIVE));
      coming = undefined;
      if (next.done) return controller.close();
      const { value } = next;
      controller.enqueue(encoder.encode(`id: ${value.seq}\ndata: ${JSON.stringify(value)}\n\n`));
    },
    async cancel() {
      await events.return?.();
    },
  });
}

/** What a promise gives; nothing when that takes too long. */
async function within<Value>(
  milliseconds: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
