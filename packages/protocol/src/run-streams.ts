import type { AgentEvent } from './event.ts';

/**
 * The text of an agent's answer as it streams, with a blank line between messages. Not a generator: a generator that is
 * waiting for the next event cannot return before that event arrives.
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
 * Encodes events as server-sent events: `seq` is the id, the JSON of the event is the data. A keep-alive comment while
 * the agent is silent keeps the connection open and lets the writer detect a closed one.
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

/** Resolves with the value of a promise, or with undefined after the timeout. */
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
