import { BatonError } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventResult, GatewayEvent } from './gateway-event.ts';
import { MessageQueue, type MessageQueueOptions } from './message-queue.ts';

let store: Store;
let warnings: string[];
beforeEach(async () => {
  warnings = [];
  store = await openStore({ url: ':memory:' });
});
afterEach(() => store.close());

function message(channel: number | string, id: number | string): GatewayEvent {
  const channelId = `test:${channel}`;
  return { channelId, messageId: String(id), userId: 'test:me', text: `message ${id}`, files: [] };
}

type Reply = { event: GatewayEvent; result: EventResult; nonce: string };

/** A queue with an agent that echoes, unless told otherwise. */
function queueWith(options: Partial<MessageQueueOptions> = {}) {
  const replies: Reply[] = [];
  const queue = new MessageQueue({
    events: store.gatewayEvents,
    run: async (event, turn) => {
      await turn.agentStarts();
      return { responseText: event.text, targetChannelId: event.channelId };
    },
    reply: async (event, result, { id: nonce }) => void replies.push({ event, result, nonce }),
    log: { warn: (warning) => void warnings.push(warning) },
    now: Date.now,
    ...options,
  });
  return { queue, replies };
}

async function stateOf({ channelId, messageId }: GatewayEvent): Promise<string | undefined> {
  const key = { channel_id: channelId, message_id: messageId };
  return (await store.gatewayEvents.get(key))?.state;
}

/** An agent whose runs end only when the test says so. */
function heldAgent() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const beginnings: (() => void)[] = [];
  const run: MessageQueueOptions['run'] = async (event, turn) => {
    await turn.agentStarts();
    const { promise, resolve } = Promise.withResolvers<void>();
    started.push(`${event.channelId} ${event.messageId}`);
    ends.push(resolve);
    beginnings.shift()?.();
    await promise;
    return { responseText: 'done', targetChannelId: event.channelId };
  };
  /** Resolves when the next run has begun. */
  const next = () => new Promise<void>((resolve) => beginnings.push(resolve));
  return { run, started, ends, next };
}

describe('the event queue', () => {
  test('runs the messages of a channel one at a time and in order', async () => {
    let running = 0;
    let most = 0;
    const { queue, replies } = queueWith({
      run: async (event) => {
        running += 1;
        most = Math.max(most, running);
        await store.gatewayChannels.lastMessages();
        running -= 1;
        return { responseText: event.text };
      },
    });
    await queue.start();
    const ids = Array.from({ length: 15 }, (_, index) => index);
    await Promise.all(ids.map((id) => queue.push(message('a', id))));
    await queue.idle();
    expect(replies.map(({ event }) => Number(event.messageId))).toEqual(ids);
    expect(most).toBe(1);
    expect(await stateOf(message('a', 14))).toBe('answered');
  });

  test('serves 200 channels in turn, with bounded concurrency', async () => {
    const running = new Set<string>();
    let most = 0;
    const order: string[] = [];
    const { queue, replies } = queueWith({
      concurrency: 8,
      run: async ({ channelId, text }) => {
        expect(running.has(channelId)).toBe(false);
        running.add(channelId);
        most = Math.max(most, running.size);
        order.push(channelId);
        await store.gatewayChannels.lastMessages();
        running.delete(channelId);
        return { responseText: text };
      },
    });
    // All are accepted before the first one runs, so that the order is that of the queue.
    for (let id = 0; id < 20; id += 1) await queue.push(message('noisy', id));
    for (let channel = 0; channel < 200; channel += 1) await queue.push(message(channel, 'only'));
    await queue.start();
    await queue.idle();
    expect(replies).toHaveLength(220);
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(1);
    const served = order.filter((channel) => channel !== 'test:noisy');
    expect(new Set(served).size).toBe(200);
    // Each of the others runs before the noisy channel gets its third turn.
    const third = order.indexOf(
      'test:noisy',
      order.indexOf('test:noisy', order.indexOf('test:noisy') + 1) + 1,
    );
    expect(order.slice(0, third).filter((channel) => channel !== 'test:noisy')).toHaveLength(200);
  });

  test('takes a message once', async () => {
    const { queue, replies } = queueWith();
    await queue.start();
    expect(await queue.push(message('a', 1))).toBe('accepted');
    expect(await queue.push(message('a', 1))).toBe('duplicate');
    await queue.idle();
    expect(await queue.push(message('a', 1))).toBe('duplicate');
    await queue.idle();
    expect(replies).toHaveLength(1);
  });

  test('rejects messages when too many are pending', async () => {
    const agent = heldAgent();
    const { queue } = queueWith({ run: agent.run, limits: { total: 3, perChannel: 2 } });
    await queue.start();
    expect(await queue.push(message('a', 1))).toBe('accepted');
    expect(await queue.push(message('a', 2))).toBe('accepted');
    expect(await queue.push(message('a', 3))).toBe('rejected');
    expect(await queue.push(message('b', 1))).toBe('accepted');
    expect(await queue.push(message('c', 1))).toBe('rejected');
  });

  test('stores a message before it runs', async () => {
    const states: (string | undefined)[] = [];
    const { queue } = queueWith({
      run: async (event) => {
        states.push(await stateOf(event));
        return {};
      },
      reply: async (event) => void states.push(await stateOf(event)),
    });
    await queue.start();
    await queue.push(message('a', 1));
    await queue.idle();
    expect([...states, await stateOf(message('a', 1))]).toEqual([
      'running',
      'replying',
      'answered',
    ]);
  });

  test('runs what was accepted before a restart, in order', async () => {
    const { queue: first } = queueWith();
    for (const id of [1, 2]) await first.push(message('a', id));
    const { queue, replies } = queueWith();
    await queue.start();
    await queue.push(message('a', 3));
    await queue.idle();
    expect(replies.map(({ event }) => event)).toEqual([1, 2, 3].map((id) => message('a', id)));
  });

  test('keeps messages of a platform that is not connected', async () => {
    const { queue: first } = queueWith();
    await first.push(message('a', 1));
    await first.push(message('b', 1));
    const { queue, replies } = queueWith({ serves: (channelId) => channelId === 'test:b' });
    await queue.start();
    await queue.idle();
    expect(replies.map(({ event }) => event.channelId)).toEqual(['test:b']);
    expect(await stateOf(message('a', 1))).toBe('accepted');
  });

  test('runs a message again whose agent had not got the prompt', async () => {
    const begun = Promise.withResolvers<void>();
    const { queue: killed } = queueWith({
      run: () => {
        begun.resolve();
        return new Promise(() => {});
      },
    });
    await killed.start();
    await killed.push(message('a', 1));
    await begun.promise;
    const { queue, replies } = queueWith();
    await queue.start();
    await queue.idle();
    expect(replies).toMatchObject([{ result: { responseText: 'message 1' } }]);
  });

  test('reports a message as interrupted whose agent may have acted, and offers a retry', async () => {
    const agent = heldAgent();
    const { queue: killed } = queueWith({ run: agent.run });
    await killed.start();
    const begun = agent.next();
    await killed.push(message('a', 1));
    await begun;
    const runs: string[] = [];
    const { queue, replies } = queueWith({
      run: async ({ messageId }) => {
        runs.push(messageId);
        return { responseText: 'again' };
      },
    });
    await queue.start();
    await queue.idle();
    expect(runs).toEqual([]);
    expect(replies).toMatchObject([
      { result: { error: expect.stringContaining('restarted'), offerRetry: true } },
    ]);
    expect(await stateOf(message('a', 1))).toBe('failed');
    expect(await queue.retry('test:a', '1')).toBe(true);
    expect(await queue.retry('test:a', '1')).toBe(false);
    await queue.idle();
    expect(runs).toEqual(['1']);
    expect(replies.map(({ result }) => result.responseText)).toEqual([undefined, 'again']);
    expect(new Set(replies.map(({ nonce }) => nonce)).size).toBe(2);
  });

  test('sends an unconfirmed reply again after a restart, with the same nonce', async () => {
    const sent: string[] = [];
    const { queue: first } = queueWith({
      reply: async (_event, _result, { id }) => {
        sent.push(id);
        throw new Error('connection lost');
      },
    });
    await first.start();
    await first.push(message('a', 1));
    await first.idle();
    expect(warnings).toEqual(['Message 1 in test:a could not be completed: connection lost']);
    const { queue, replies } = queueWith({ run: () => Promise.reject(new Error('ran again')) });
    await queue.start();
    await queue.idle();
    expect(replies).toMatchObject([{ result: { responseText: 'message 1' }, nonce: sent[0] }]);
    expect(sent[0]).toHaveLength(20);
    expect(await stateOf(message('a', 1))).toBe('answered');
  });

  test('gives a reply up that the platform will never take', async () => {
    const gone = () => Promise.reject(new BatonError('not_found', 'The channel is gone.'));
    const { queue } = queueWith({ reply: gone });
    await queue.start();
    await queue.push(message('a', 1));
    await queue.idle();
    expect(warnings).toEqual(['Message 1 in test:a cannot be answered: The channel is gone.']);
    expect(await stateOf(message('a', 1))).toBe('answered');
  });

  test('lets other channels run while a reply waits for its platform', async () => {
    const held = Promise.withResolvers<void>();
    const replied: string[] = [];
    const { queue } = queueWith({
      concurrency: 1,
      reply: async ({ channelId }) => {
        if (channelId === 'test:slow') await held.promise;
        replied.push(channelId);
        if (channelId === 'test:b') held.resolve();
      },
    });
    await queue.start();
    await queue.push(message('slow', 1));
    await queue.push(message('b', 1));
    await queue.idle();
    expect(replied).toEqual(['test:b', 'test:slow']);
  });

  test('knows after a restart what was sent for a message', async () => {
    const { queue: killed } = queueWith({
      run: async (_event, turn) => {
        await turn.agentStarts();
        await turn.storeSent(0, 'draft');
        return new Promise(() => {});
      },
    });
    await killed.start();
    await killed.push(message('a', 1));
    const key = { channel_id: 'test:a', message_id: '1' };
    await expect
      .poll(async () => (await store.gatewayEvents.get(key))?.sent)
      .toBe('{"sent":["draft"],"asked":{}}');
    const sent: (readonly string[])[] = [];
    const { queue } = queueWith({
      reply: async (_event, _result, turn) => void sent.push(turn.sent),
    });
    await queue.start();
    await queue.idle();
    expect(sent).toEqual([['draft']]);
  });

  test('runs a message again that a daemon runs, in the same turn', async () => {
    const place = 'http://127.0.0.1:3030';
    const turns: string[] = [];
    const { queue: killed } = queueWith({
      place,
      run: async (_event, turn) => {
        await turn.agentStarts();
        turns.push(turn.id);
        return new Promise(() => {});
      },
    });
    await killed.start();
    await killed.push(message('a', 1));
    await expect.poll(() => turns.length).toBe(1);
    const { queue, replies } = queueWith({
      place,
      run: async (_event, turn) => {
        turns.push(turn.id);
        return { responseText: 'joined' };
      },
    });
    await queue.start();
    await queue.idle();
    expect(replies).toMatchObject([{ result: { responseText: 'joined' } }]);
    expect(new Set(turns).size).toBe(1);
  });

  test('stops the message that runs, and only that one', async () => {
    const results: (boolean | undefined)[] = [];
    const { queue } = queueWith({
      run: async (_event, { signal }) => {
        if (results.length === 0) await queue.cancel('test:a');
        results.push(signal.aborted);
        return { responseText: 'done' };
      },
    });
    await queue.start();
    await queue.push(message('a', 1));
    await queue.push(message('a', 2));
    await queue.idle();
    expect(results).toEqual([true, false]);
    expect(await queue.cancel('test:a')).toBe(false);
  });

  test('stops the next message of a channel before it begins', async () => {
    const agent = heldAgent();
    const stopped: string[] = [];
    const { queue } = queueWith({
      concurrency: 1,
      run: (event, turn) => {
        if (turn.signal.aborted) stopped.push(`${event.channelId} ${event.messageId}`);
        return agent.run(event, turn);
      },
    });
    await queue.start();
    const begun = agent.next();
    await queue.push(message('a', 1));
    await queue.push(message('b', 1));
    await queue.push(message('b', 2));
    await begun;
    expect(await queue.cancel('test:b')).toBe(true);
    expect(await queue.cancel('test:c')).toBe(false);
    for (const count of [1, 2, 3]) {
      await expect.poll(() => agent.ends.length).toBe(count);
      agent.ends[count - 1]?.();
    }
    await queue.idle();
    expect(stopped).toEqual(['test:b 1']);
  });

  test('keeps a reply that was cut off by the end of its platform', async () => {
    const { queue: first } = queueWith({
      reply: async () => {
        throw new BatonError('interrupted', 'The adapter was stopped.');
      },
    });
    await first.start();
    await first.push(message('a', 1));
    await first.idle();
    const { queue, replies } = queueWith();
    await queue.start();
    await queue.idle();
    expect(replies).toHaveLength(1);
  });

  test('tells what to do about an expected error', async () => {
    const { queue, replies } = queueWith({
      run: async () => {
        throw new BatonError('config_invalid', 'The folder is gone.', { hint: 'Create it.' });
      },
    });
    await queue.start();
    await queue.push(message('a', 1));
    await queue.idle();
    expect(replies[0]?.result.error).toBe('The folder is gone. Create it.');
  });

  test('takes a retry that is pressed before the reply is confirmed', async () => {
    const confirmed = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    let runs = 0;
    const { queue } = queueWith({
      run: async () => {
        runs += 1;
        return runs === 1 ? { error: 'failed', offerRetry: true } : { responseText: 'again' };
      },
      reply: async () => {
        sent.resolve();
        await confirmed.promise;
      },
    });
    await queue.start();
    await queue.push(message('a', 1));
    await sent.promise;
    const retried = queue.retry('test:a', '1');
    confirmed.resolve();
    expect(await retried).toBe(true);
    await queue.idle();
    expect(runs).toBe(2);
  });

  test('reports an unexpected error and continues with the next message', async () => {
    const { queue, replies } = queueWith({
      run: async ({ messageId, text }) => {
        if (messageId === '1') throw new Error('boom');
        return { responseText: text };
      },
    });
    await queue.start();
    await queue.push(message('a', 1));
    await queue.push(message('a', 2));
    await queue.idle();
    expect(replies.map(({ result }) => result)).toEqual([
      { error: 'Internal error: boom', targetChannelId: 'test:a', offerRetry: true },
      { responseText: 'message 2' },
    ]);
    expect(await stateOf(message('a', 1))).toBe('failed');
  });

  test('stops without starting what waits, and keeps it for the next start', async () => {
    const agent = heldAgent();
    const { queue: first } = queueWith({ run: agent.run, concurrency: 1 });
    await first.start();
    const begun = agent.next();
    await first.push(message('a', 1));
    await first.push(message('b', 1));
    await begun;
    const stopped = first.stop();
    agent.ends[0]?.();
    await stopped;
    expect(agent.started).toEqual(['test:a 1']);
    const { queue, replies } = queueWith();
    await queue.start();
    await queue.idle();
    expect(replies.map(({ event }) => event.channelId)).toEqual(['test:b']);
  });

  test('forgets messages that ended a month ago', async () => {
    const { queue } = queueWith();
    await queue.start();
    await queue.push(message('a', 1));
    await queue.idle();
    const { queue: later } = queueWith({ now: () => Date.now() + 31 * 24 * 3600 * 1000 });
    await later.start();
    expect(await stateOf(message('a', 1))).toBeUndefined();
    expect((await store.gatewayChannels.lastMessages()).get('test:a')).toBe('1');
  });
});
