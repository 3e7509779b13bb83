import type { BatonClient } from '@baton/client';
import { BatonError, type ChainEvent } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ChainFeed } from './chain-feed.ts';

type Page = { events: ChainEvent[]; seq: number };

/** A feed whose daemon answers each call with the next of some pages, and then no more. */
function feedOf(...pages: (Page | Error)[]) {
  const asked: number[] = [];
  const events = async ({ after = 0 }: { after?: number }) => {
    asked.push(after);
    const page = pages.shift();
    if (page instanceof Error) throw page;
    return page ?? new Promise<Page>(() => {});
  };
  const feed = new ChainFeed({ chainRuns: { events } } as unknown as BatonClient, 'run');
  onTestFinished(feed.open());
  return { feed, asked };
}

const event = (seq: number, body: object) => ({ seq, time: seq, ...body }) as ChainEvent;
const STARTED = event(1, { type: 'chain.started', chain: 'ship', inputs: {} });
const STEP = event(2, { type: 'step.started', step: 'a' });

test('continues from the last event when the daemon was away', async () => {
  const lost = new BatonError('daemon_unreachable', 'Lost.');
  const pages = [{ events: [STARTED], seq: 1 }, lost, { events: [STEP], seq: 2 }];
  const { feed, asked } = feedOf(...pages);
  await vi.waitFor(() => expect(feed.state().chain?.steps.get('a')?.status).toBe('running'));
  expect(feed.state().error).toBeUndefined();
  await vi.waitFor(() => expect(asked).toEqual([0, 1, 1, 2]));
});

test('each batch of events gives another state', async () => {
  const { feed } = feedOf({ events: [STARTED], seq: 1 }, { events: [STEP], seq: 2 });
  const seen: unknown[] = [];
  feed.subscribe(() => seen.push(feed.state().chain));
  await vi.waitFor(() => expect(seen).toHaveLength(2));
  expect(seen[0]).not.toBe(seen[1]);
  expect(seen[0]).toMatchObject({ steps: new Map() });
});

test('keeps what it has when the daemon refuses', async () => {
  const gone = new BatonError('not_found', 'No such run.');
  const { feed } = feedOf({ events: [STARTED], seq: 1 }, gone);
  await vi.waitFor(() => expect(feed.state().error).toBe(gone));
  expect(feed.state().chain?.status).toBe('running');
});
