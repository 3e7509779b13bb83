import { BatonError } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isShortage, Shortage } from './shortage.ts';

const errno = (code: string) => Object.assign(new Error(code), { code });

test.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ENOSPC', 'EDQUOT'])(
  '%s is about the machine, wherever it is among the causes',
  (code) => {
    expect(isShortage(errno(code))).toBe(true);
    const wrapped = new BatonError('no_resources', 'Cannot start.', { cause: errno(code) });
    expect(isShortage(wrapped)).toBe(true);
    expect(isShortage(new Error('Outer', { cause: wrapped }))).toBe(true);
  },
);

test.each(['ENOENT', 'EACCES', 'E2BIG'])('%s is about the task', (code) => {
  expect(isShortage(new BatonError('usage', 'No.', { cause: errno(code) }))).toBe(false);
  expect(isShortage(undefined)).toBe(false);
});

test('pauses grow until a task has ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const onOver = vi.fn();
  const shortage = new Shortage(onOver);
  onTestFinished(() => shortage.close());
  const pause = async () => {
    shortage.begin(new Error('Too few.'));
    shortage.begin(new Error('Another one meanwhile.'));
    expect(shortage.reason).toBe('Too few.');
    let seconds = 0;
    for (; shortage.reason !== undefined; seconds += 1) await vi.advanceTimersByTimeAsync(1000);
    return seconds;
  };
  const pauses = [];
  for (let n = 0; n < 7; n += 1) pauses.push(await pause());
  expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
  expect(onOver).toHaveBeenCalledTimes(7);
  shortage.forget();
  expect(await pause()).toBe(1);
});
