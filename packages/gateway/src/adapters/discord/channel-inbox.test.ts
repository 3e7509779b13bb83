import { expect, test, vi } from 'vitest';
import type { IncomingMessage } from '../../channel-adapter.ts';
import { ChannelInbox } from './channel-inbox.ts';

test('hands a rejected message over again, before those that follow it', async () => {
  const { inbox, taken, pauses, onGap, warnings } = setUp({ rejections: 3 });
  for (const id of ['1', '2', '3']) inbox.add(message(id));
  await expect.poll(() => taken).toEqual(['1', '2', '3']);
  expect(pauses).toEqual([1000, 2000, 4000]);
  await expect.poll(() => onGap.mock.calls.length).toBe(1);
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toContain('the disk is full');
});

test('reports no gap if every message was taken', async () => {
  const { inbox, taken, onGap } = setUp({ rejections: 0 });
  inbox.add(message('1'));
  await expect.poll(() => taken).toEqual(['1']);
  inbox.add(message('2'));
  await expect.poll(() => taken).toEqual(['1', '2']);
  expect(onGap).not.toHaveBeenCalled();
});

test('holds a bounded number of messages, and reports a gap for the others', async () => {
  const { inbox, taken, onGap } = setUp({ rejections: 1 });
  for (let id = 1; id <= 250; id += 1) inbox.add(message(String(id)));
  await expect.poll(() => onGap.mock.calls.length).toBe(1);
  expect(taken).toHaveLength(100);
  expect(taken.at(-1)).toBe('100');
  inbox.add(message('251'));
  await expect.poll(() => taken.at(-1)).toBe('251');
});

test('stops while it waits to hand a message over again', async () => {
  const stopped = new AbortController();
  const onMessage = vi.fn(() => Promise.reject(new Error('the disk is full')));
  const onGap = vi.fn();
  const { promise, resolve } = Promise.withResolvers<void>();
  const inbox = new ChannelInbox({
    receiver: { onMessage, onGap },
    signal: stopped.signal,
    warn() {},
    async sleep() {
      stopped.abort();
      resolve();
      return false;
    },
  });
  inbox.add(message('1'));
  await promise;
  await Promise.resolve();
  expect(onMessage).toHaveBeenCalledTimes(1);
  expect(onGap).not.toHaveBeenCalled();
});

function setUp({ rejections }: { rejections: number }) {
  const taken: string[] = [];
  const pauses: number[] = [];
  const warnings: string[] = [];
  const onGap = vi.fn();
  let left = rejections;
  const inbox = new ChannelInbox({
    receiver: {
      async onMessage({ messageId }) {
        if (left > 0) {
          left -= 1;
          throw new Error('the disk is full');
        }
        taken.push(messageId);
      },
      onGap,
    },
    signal: new AbortController().signal,
    warn: (text) => warnings.push(text),
    async sleep(milliseconds) {
      pauses.push(milliseconds);
      return true;
    },
  });
  return { inbox, taken, pauses, onGap, warnings };
}

function message(messageId: string): IncomingMessage {
  return {
    channelId: 'discord:1',
    messageId,
    userId: 'discord:2',
    guildId: 'discord:3',
    isDirect: false,
    text: 'hello',
    files: [],
  };
}
