import { BatonError, type LogEvent } from '@baton/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from './connection.ts';
import { follow } from './follow.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (cursor: number) => ({ cursor, time: 1, type: 'session.notice' }) as LogEvent;

/** Outcome of one call to the daemon. */
type Fate = 'unreachable' | 'no database' | 'nothing new' | number;

/** A daemon with `length` events: its first calls have the given outcomes, all later ones succeed. */
function daemon(length: number, fates: readonly Fate[]): Connection {
  const left = [...fates];
  const call = async (_service: string, _method: string, [query]: [{ after: number }]) => {
    const fate = left.shift() ?? 1000;
    if (fate === 'unreachable') throw new BatonError('daemon_unreachable', 'Gone.');
    if (fate === 'no database') throw new BatonError('store_unavailable', 'Gone.');
    const count = fate === 'nothing new' ? 0 : Math.min(fate, length - query.after);
    const events = Array.from({ length: count }, (_, n) => event(query.after + n + 1));
    return { events, cursor: query.after + count };
  };
  return { call, closed: new AbortController().signal } as unknown as Connection;
}

async function cursorsOf(connection: Connection, after: number, last: number): Promise<number[]> {
  const seen: number[] = [];
  for await (const { cursor } of follow(connection, 's', { after })) {
    seen.push(cursor);
    if (cursor === last) break;
  }
  return seen;
}

test('every event is delivered once and in order, whatever fails', async () => {
  const fate = fc.oneof(
    fc.constantFrom<Fate>('unreachable', 'no database', 'nothing new'),
    fc.integer({ min: 1, max: 9 }),
  );
  const story = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(39), fc.array(fate));
  await fc.assert(
    fc.asyncProperty(story, async ([length, start, fates]) => {
      const after = Math.min(start, length - 1);
      const seen = cursorsOf(daemon(length, fates), after, length);
      await vi.runAllTimersAsync();
      const expected = Array.from({ length: length - after }, (_, n) => after + n + 1);
      expect(await seen).toEqual(expected);
    }),
  );
});

test('a permanent error is reported', async () => {
  const call = async () => {
    throw new BatonError('forbidden', 'Not for you.');
  };
  const closed = new AbortController().signal;
  const following = follow({ call, closed } as unknown as Connection, 's').next();
  await expect(following).rejects.toMatchObject({ code: 'forbidden' });
});

test('aborting ends the iteration, also in the middle of a pause', async () => {
  const enough = new AbortController();
  const connection = daemon(1, Array<Fate>(1000).fill('unreachable'));
  const following = follow(connection, 's', { signal: enough.signal }).next();
  await vi.advanceTimersByTimeAsync(10_000);
  enough.abort();
  expect(await following).toEqual({ done: true, value: undefined });
});
