import type { LogEvent } from '@baton/protocol';
import type { Store } from '@baton/store';
import { expect, test, vi } from 'vitest';
import type { Feed } from '../feed/feed.ts';
import type { SeedEvent } from './seed-events.ts';
import { SeedView } from './seed-view.ts';

const store = {
  records: { sessions: { get: async () => undefined }, tasks: { get: async () => undefined } },
  entries: async () => [],
} as unknown as Store;

/** A feed that gives some events, and then nothing more. */
function feedOf(events: readonly Partial<LogEvent>[]): Feed {
  const pages = [events];
  return {
    isClosed: false,
    next: async () => pages.shift() ?? new Promise(() => {}),
  } as unknown as Feed;
}

test('an event that cannot be told ends no more than the telling of its session', async () => {
  const stop = { cursor: 1, time: 9e15, type: 'stop.requested', taskId: 't' } as const;
  const tell = vi.fn<(event: SeedEvent) => void>();
  const onFailure = vi.fn<(sessionId: string, error: unknown) => void>();
  const broken = new SeedView(store, feedOf([stop]), { tell, onFailure });
  await broken.follow('s');
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledWith('s', expect.any(RangeError)));
  expect(tell).not.toHaveBeenCalled();
});
