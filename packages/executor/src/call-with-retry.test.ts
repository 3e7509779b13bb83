import { BatonError } from '@baton/protocol';
import { expect, test, vi } from 'vitest';
import { callWithRetry } from './call-with-retry.ts';

const unreachable = () => Promise.reject(new BatonError('daemon_unreachable', 'Nobody is there.'));

test('a daemon that is not there at first is asked again', async () => {
  const ask = vi.fn(async () => 'a task').mockImplementationOnce(unreachable);
  expect(await callWithRetry(ask, { onNoAnswer: () => {} })).toBe('a task');
  expect(ask).toHaveBeenCalledTimes(2);
});

test('what will not pass is not tried again', async () => {
  const ask = vi.fn(() => Promise.reject(new BatonError('usage', 'No.')));
  await expect(callWithRetry(ask, { onNoAnswer: () => {} })).rejects.toMatchObject({
    code: 'usage',
  });
  expect(ask).toHaveBeenCalledOnce();
});

test.each([
  ['while nobody answers', () => new Promise<never>(() => {})],
  ['between two tries', unreachable],
])('a signal ends the waiting %s', async (_when, ask) => {
  const stop = new AbortController();
  const waiting = callWithRetry(ask, { signal: stop.signal, onNoAnswer: () => {} });
  setImmediate(() => stop.abort());
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
});

test('an answer that is on its way counts in spite of the signal', async () => {
  const answer = Promise.withResolvers<string>();
  const stop = new AbortController();
  const waiting = callWithRetry(() => answer.promise, {
    signal: stop.signal,
    onNoAnswer: () => {},
  });
  stop.abort();
  setImmediate(() => answer.resolve('a task'));
  expect(await waiting).toBe('a task');
});
