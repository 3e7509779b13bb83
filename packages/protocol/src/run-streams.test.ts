import { afterEach, expect, test, vi } from 'vitest';
import type { AgentEvent } from './event.ts';
import { serverSentEvents } from './run-streams.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a stream of a silent agent keeps its connection, and loses no event', async () => {
  vi.useFakeTimers();
  const event = { seq: 1, type: 'unparsed' } as AgentEvent;
  const coming = Promise.withResolvers<IteratorResult<AgentEvent>>();
  const next = vi.fn(() => coming.promise);
  const reader = serverSentEvents({ next }).pipeThrough(new TextDecoderStream()).getReader();
  const first = reader.read();
  await vi.advanceTimersByTimeAsync(20_000);
  expect((await first).value).toBe(': keep-alive\n\n');
  coming.resolve({ value: event, done: false });
  expect((await reader.read()).value).toBe(`id: 1\ndata: ${JSON.stringify(event)}\n\n`);
});
