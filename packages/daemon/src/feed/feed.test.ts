import type { LogEvent } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { Feed } from './feed.ts';
import { RecentEvents } from './recent-events.ts';

const event = (cursor: number) => ({ cursor, time: 1, type: 'session.notice' }) as LogEvent;
const cursors = (events: readonly LogEvent[] | undefined) => events?.map(({ cursor }) => cursor);

describe('recent events', () => {
  test('are returned from any cursor they cover', () => {
    const recent = new RecentEvents();
    recent.add('s', [event(5), event(6)], 100);
    recent.add('s', [event(7)], 50);
    expect(cursors(recent.after('s', 4, 10))).toEqual([5, 6, 7]);
    expect(cursors(recent.after('s', 5, 1))).toEqual([6]);
    expect(cursors(recent.after('s', 7, 10))).toEqual([]);
    expect(recent.after('s', 3, 10)).toBeUndefined();
    expect(recent.after('other', 3, 10)).toBeUndefined();
  });

  test('never have a gap', () => {
    const recent = new RecentEvents();
    recent.add('s', [event(5)], 50);
    recent.add('s', [event(9)], 50);
    expect(recent.after('s', 4, 10)).toBeUndefined();
    expect(cursors(recent.after('s', 8, 10))).toEqual([9]);
  });

  test('that arrive out of order are not cached', () => {
    const recent = new RecentEvents();
    recent.add('s', [event(5)], 50);
    recent.add('s', [event(7)], 50);
    recent.add('s', [event(6)], 50);
    expect(recent.after('s', 5, 10)).toBeUndefined();
    recent.add('s', [event(8)], 50);
    expect(cursors(recent.after('s', 7, 10))).toEqual([8]);
  });

  test('are limited, however long a session is', () => {
    const recent = new RecentEvents();
    for (let n = 1; n <= 10_000; n++) recent.add('s', [event(n)], 4000);
    expect(cursors(recent.after('s', 9000, 1))).toEqual([9001]);
    expect(recent.after('s', 8000, 1)).toBeUndefined();
  });

  test('are limited, however many sessions there are', () => {
    const recent = new RecentEvents();
    for (let n = 0; n < 100; n++) recent.add(`s${n}`, [event(1)], 1_000_000);
    expect(recent.after('s10', 0, 1)).toBeUndefined();
    expect(recent.after('s90', 0, 1)).toHaveLength(1);
  });

  test('that are too long are not cached, and do not block the next ones', () => {
    const recent = new RecentEvents();
    recent.add('s', [event(1)], 100);
    recent.add('s', [event(2)], 5_000_000);
    expect(recent.after('s', 0, 10)).toBeUndefined();
    expect(recent.after('s', 1, 10)).toBeUndefined();
    recent.add('s', [event(3)], 100);
    expect(cursors(recent.after('s', 2, 10))).toEqual([3]);
  });

  test('are returned in parts when they are long', () => {
    const recent = new RecentEvents();
    for (let n = 1; n <= 6; n++) recent.add('s', [event(n)], 600_000);
    expect(cursors(recent.after('s', 0, 10))).toEqual([1, 2]);
  });
});

describe('a follower', () => {
  let store: Store;
  let feed: Feed;
  let sessionId: string;
  beforeEach(async () => {
    store = await openStore({ url: ':memory:' });
    feed = new Feed(store);
    const session = await createSession(store, {
      cwd: '/',
      backend: 'demo',
      permissionMode: 'ask',
    });
    sessionId = session.session_id;
  });
  afterEach(async () => {
    feed.close();
    await store.close();
  });

  const next = (after: number, waitMs = 0, limit = 100) =>
    feed.next({ sessionId, after, limit, waitMs }).then(({ events }) => events);

  test('returns available events immediately, and waits for others', async () => {
    expect(cursors(await next(0, 60_000))).toEqual([1]);
    const waiting = next(1, 60_000);
    await queuePrompt(store, sessionId, { prompt: 'Hi' });
    expect(cursors(await waiting)).toEqual([2]);
  });

  test('gets nothing when it has waited long enough', async () => {
    expect(await next(1, 20)).toEqual([]);
  });

  test('gets every event once and in order, whenever it began and however fast they come', async () => {
    const seen: number[][] = [[], [], []];
    const follow = async (own: number[], from: number) => {
      let after = from;
      while (after < 101) {
        const events = await next(after, 60_000, 7);
        own.push(...events.map(({ cursor }) => cursor));
        after = own.at(-1) ?? after;
      }
    };
    const early = follow(seen[0] ?? [], 0);
    for (let n = 0; n < 50; n++) await queuePrompt(store, sessionId, { prompt: `${n}` });
    const late = follow(seen[1] ?? [], 30);
    // As if another daemon had written in between.
    store.wakeUps.hear(JSON.stringify(['another', sessionId, 51]));
    const more = Array.from({ length: 50 }, (_, n) =>
      queuePrompt(store, sessionId, { prompt: `more ${n}` }),
    );
    await Promise.all([...more, early, late, follow(seen[2] ?? [], 0)]);
    const upTo101 = Array.from({ length: 101 }, (_, n) => n + 1);
    expect(seen).toEqual([upTo101, upTo101.slice(30), upTo101]);
  });

  test('returns events of a missed notification after waiting', async () => {
    await queuePrompt(store, sessionId, { prompt: 'Hi' });
    expect(cursors(await next(1))).toEqual([2]);
    // As if another daemon had written and its words had got lost.
    const silent = vi.spyOn(store.wakeUps, 'emit').mockReturnValue(true);
    await queuePrompt(store, sessionId, { prompt: 'Ho' });
    silent.mockRestore();
    expect(cursors(await next(2, 50))).toEqual([3]);
  });

  test('stops waiting once the feed is closed', async () => {
    feed.close();
    expect(await next(1, 60_000)).toEqual([]);
  });

  test('is let go when the feed closes', async () => {
    const waiting = next(1, 60_000);
    feed.close();
    expect(await waiting).toEqual([]);
  });

  describe('that wants some types of events', () => {
    const types = ['queue.resumed'];
    const wanted = (after: number, waitMs = 60_000) =>
      feed.next({ sessionId, after, limit: 3, waitMs, types });
    const other = () => queuePrompt(store, sessionId, { prompt: 'Hi' });
    const match = () =>
      store.log.append(sessionId, () => ({
        drafts: [{ type: 'queue.resumed' }],
        result: undefined,
      }));

    test('skips those that are there already, and continues behind them', async () => {
      for (let n = 0; n < 10; n++) await other();
      expect(await wanted(0, 0)).toEqual({ events: [], cursor: 11 });
      await match();
      await other();
      const { events, cursor } = await wanted(0);
      expect(cursors(events)).toEqual([12]);
      expect(cursor).toBe(12);
    });

    test('sleeps through others, and reads no log for them', async () => {
      const waiting = wanted(1);
      await vi.waitFor(() => expect(feed.waiting).toBe(1));
      const read = vi.spyOn(store.log, 'read');
      for (let n = 0; n < 200; n++) await other();
      await match();
      const { events, cursor } = await waiting;
      expect([cursors(events), cursor]).toEqual([[202], 202]);
      expect(read).not.toHaveBeenCalled();
    });

    test('reads the log for what another daemon wrote', async () => {
      const waiting = wanted(1);
      const silent = vi.spyOn(store.wakeUps, 'emit').mockReturnValue(true);
      await match();
      silent.mockRestore();
      store.wakeUps.hear(JSON.stringify(['another', sessionId, 2]));
      expect(cursors((await waiting).events)).toEqual([2]);
    });

    test('gets each of them once, wherever they fall', async () => {
      const expected: number[] = [];
      const seen: number[] = [];
      const follow = async () => {
        for (let after = 0; seen.length < 20; ) {
          const { events, cursor } = await wanted(after);
          seen.push(...(cursors(events) ?? []));
          after = cursor;
        }
      };
      const following = follow();
      for (let n = 2; n <= 101; n++) {
        if (n % 5 === 0) expected.push(n);
        await (n % 5 === 0 ? match() : other());
        if (n % 7 === 0) store.wakeUps.hear('');
      }
      await following;
      expect(seen).toEqual(expected);
    });
  });
});
