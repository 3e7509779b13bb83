import type { LogEvent } from '@baton/protocol';
import type { Store } from '@baton/store';
import { expect, test, vi } from 'vitest';
import type { Feed } from '../feed/feed.ts';
import type { SeedEvent } from './seed-events.ts';
import { SeedView } from './seed-view.ts';

const store = {
  records: {
    sessions: { get: async () => ({ head_cursor: 0 }) },
    tasks: { get: async () => undefined },
  },
  entries: async () => [],
} as unknown as Store;

/** A feed that gives some events, and then nothing more. */
function feedOf(events: readonly Partial<LogEvent>[]): Feed {
  const pages = [{ events, cursor: events.at(-1)?.cursor }];
  return {
    isClosed: false,
    next: async () => pages.shift() ?? new Promise(() => {}),
  } as unknown as Feed;
}

test('an event that cannot be converted only ends the stream of its session', async () => {
  const stop = { cursor: 1, time: 9e15, type: 'stop.requested', taskId: 't' } as const;
  const tell = vi.fn<(event: SeedEvent) => void>();
  const onFailure = vi.fn<(sessionId: string, error: unknown) => void>();
  const broken = new SeedView(store, feedOf([stop]), { tell, onFailure });
  await broken.follow('s');
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledWith('s', expect.any(RangeError)));
  expect(tell).not.toHaveBeenCalled();
});

test('every message starts before its chunks and its end, also implicitly', async () => {
  const place = { time: 1, taskId: 't', runId: 'r', kind: 'text' } as const;
  const delta = { ...place, type: 'message.delta', messageId: 'm', text: 'Hi' } as const;
  const end = { ...place, type: 'message.completed', messageId: 'm', text: 'HiHi' } as const;
  const events: Partial<LogEvent>[] = [
    { ...delta, cursor: 1, seq: 1 },
    { ...delta, cursor: 2, seq: 2 },
    { ...end, cursor: 3, seq: 3 },
    { ...end, cursor: 4, seq: 4, messageId: 'whole', kind: 'thinking' },
  ];
  const told: string[] = [];
  const tell = ({ name, data }: SeedEvent) => told.push(`${name} ${data.message_id}`);
  const view = new SeedView(store, feedOf(events), { tell, onFailure: vi.fn() });
  const stop = await view.follow('s');
  await vi.waitFor(() => expect(told.at(-1)).toBe('thinking:end s.4'));
  stop();
  expect(told).toEqual([
    'created s.1',
    'streaming:start s.1',
    'streaming:chunk s.1',
    'streaming:chunk s.1',
    'patched s.1',
    'streaming:end s.1',
    'created s.4',
    'thinking:start s.4',
    'thinking:end s.4',
  ]);
});
