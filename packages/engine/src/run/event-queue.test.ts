import type { AgentEvent } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { heapInUse } from '../../../agents/src/testing/memory.ts';
import { EventQueue } from './event-queue.ts';

const HIGH_WATER = 1024;

function event(seq: number): AgentEvent {
  return { seq, time: 0, runId: 'r', type: 'unparsed', source: 'stdout', line: '' };
}

function filled(count: number): EventQueue {
  const queue = new EventQueue();
  for (let seq = 1; seq <= count; seq += 1) queue.push(event(seq));
  return queue;
}

async function numbers(queue: EventQueue): Promise<number[]> {
  const seen: number[] = [];
  for await (const { seq } of queue) seen.push(seq);
  return seen;
}

/** Lets everything happen that waits for its turn. */
function aWhile(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('order', () => {
  test('events come out as they went in, however reading and writing alternate', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 50 }), async (bursts) => {
        const queue = new EventQueue();
        const reading = numbers(queue);
        let seq = 0;
        for (const burst of bursts) {
          for (let n = 0; n < burst; n += 1) queue.push(event(++seq));
          await Promise.resolve();
        }
        queue.end();
        expect(await reading).toEqual(upTo(seq));
      }),
    );
  });

  test('events from before the reader came are waiting for it', async () => {
    const queue = filled(10);
    queue.end();
    expect(await numbers(queue)).toEqual(upTo(10));
  });

  test('concurrent readers of one iterator each get a different event', async () => {
    const queue = new EventQueue();
    const iterator = queue[Symbol.asyncIterator]();
    const asked = [iterator.next(), iterator.next(), iterator.next()];
    queue.push(event(1));
    queue.push(event(2));
    queue.end();
    const got = await Promise.all(asked);
    expect(got.map(({ value }) => value?.seq)).toEqual([1, 2, undefined]);
    expect(got.map(({ done }) => done)).toEqual([false, false, true]);
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });
});

describe('a slow reader applies backpressure to the agent', () => {
  test('from high water on, until the reader has caught up', async () => {
    const queue = filled(HIGH_WATER - 1);
    const pressure = vi.fn();
    queue.onPressure = pressure;
    expect(queue.held).toBe(false);
    queue.push(event(HIGH_WATER));
    expect(pressure.mock.calls).toEqual([[true]]);
    queue.push(event(HIGH_WATER + 1));
    expect(pressure).toHaveBeenCalledTimes(1);
    const iterator = queue[Symbol.asyncIterator]();
    let read = 0;
    while (queue.held) {
      await iterator.next();
      read += 1;
    }
    expect(pressure.mock.calls).toEqual([[true], [false]]);
    expect(read).toBeGreaterThan(HIGH_WATER / 2);
    expect(read).toBeLessThan(HIGH_WATER);
  });

  test('an agent that respects backpressure never exceeds the high-water mark', async () => {
    const queue = new EventQueue();
    let waiting = 0;
    let most = 0;
    const iterator = queue[Symbol.asyncIterator]();
    let seq = 0;
    for (let round = 0; round < 20_000; round += 1) {
      while (!queue.held && waiting < 3000) {
        queue.push(event(++seq));
        waiting += 1;
      }
      most = Math.max(most, waiting);
      await iterator.next();
      waiting -= 1;
    }
    expect(most).toBe(HIGH_WATER);
  });

  test('read events are not kept, even if the reader never quite catches up', async () => {
    const queue = new EventQueue();
    const iterator = queue[Symbol.asyncIterator]();
    const read: WeakRef<AgentEvent>[] = [];
    let seq = 0;
    for (let n = 0; n < 10; n += 1) queue.push(event(++seq));
    for (let n = 0; n < 50_000; n += 1) {
      queue.push(event(++seq));
      const { value } = await iterator.next();
      if (n < 10_000) read.push(new WeakRef(value));
    }
    await aWhile();
    heapInUse();
    const kept = read.filter((ref) => ref.deref() !== undefined).length;
    expect(kept).toBeLessThan(read.length / 10);
  });
});

describe('discarded events', () => {
  test('apply no backpressure', () => {
    const queue = new EventQueue();
    const pressure = vi.fn();
    queue.onPressure = pressure;
    queue.discard();
    for (let seq = 1; seq <= HIGH_WATER * 3; seq += 1) queue.push(event(seq));
    expect(pressure).not.toHaveBeenCalled();
  });

  test('resume an agent that was paused', () => {
    const queue = filled(HIGH_WATER);
    const pressure = vi.fn();
    queue.onPressure = pressure;
    queue.discard();
    expect(pressure.mock.calls).toEqual([[false]]);
    expect(queue.held).toBe(false);
  });

  test('are not kept in memory', () => {
    const queue = new EventQueue();
    queue.discard();
    const before = heapInUse();
    for (let seq = 1; seq <= 1_000_000; seq += 1) queue.push(event(seq));
    expect(heapInUse() - before).toBeLessThan(5_000_000);
  });
});

describe('consuming the events twice', () => {
  test('is refused to a second reader', () => {
    const queue = filled(1);
    queue[Symbol.asyncIterator]();
    expect(() => queue[Symbol.asyncIterator]()).toThrow(/only once/);
  });

  test('is refused to a reader of discarded events, and the other way round', () => {
    const discarded = filled(1);
    discarded.discard();
    expect(() => discarded[Symbol.asyncIterator]()).toThrow(/collected/);
    const read = filled(1);
    read[Symbol.asyncIterator]();
    expect(() => read.discard()).toThrow(/only once/);
  });
});

describe('leaving the loop', () => {
  test('notifies, waits for the handlers, and resumes the agent', async () => {
    const queue = filled(HIGH_WATER);
    const pressure = vi.fn();
    const order: string[] = [];
    queue.onPressure = pressure;
    queue.onLeave = async () => {
      await aWhile();
      order.push('left');
    };
    for await (const _event of queue) break;
    order.push('after');
    expect(order).toEqual(['left', 'after']);
    expect(pressure.mock.calls).toEqual([[false]]);
  });

  test('by an error does the same', async () => {
    const queue = filled(1);
    const leave = vi.fn(async () => {});
    queue.onLeave = leave;
    const fails = async () => {
      for await (const _event of queue) throw new Error('mine');
    };
    await expect(fails()).rejects.toThrow('mine');
    expect(leave).toHaveBeenCalledTimes(1);
  });

  test('ends a read that still waits', async () => {
    const queue = new EventQueue();
    const iterator = queue[Symbol.asyncIterator]();
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ value: undefined, done: true });
  });

  test('later events are not kept', async () => {
    const queue = filled(1);
    const pressure = vi.fn();
    queue.onPressure = pressure;
    for await (const _event of queue) break;
    for (let seq = 2; seq <= HIGH_WATER * 2; seq += 1) queue.push(event(seq));
    expect(pressure).not.toHaveBeenCalled();
  });

  test('is permanent', async () => {
    const iterator = filled(3)[Symbol.asyncIterator]();
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  test('a loop that ends normally does not notify', async () => {
    const queue = filled(3);
    const leave = vi.fn(async () => {});
    queue.onLeave = leave;
    queue.end();
    await numbers(queue);
    expect(leave).not.toHaveBeenCalled();
  });
});

test('a waiting reader is notified of the end', async () => {
  const queue = new EventQueue();
  const reading = numbers(queue);
  await aWhile();
  queue.end();
  expect(await reading).toEqual([]);
});
