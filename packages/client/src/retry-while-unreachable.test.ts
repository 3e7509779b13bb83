import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { retryWhileUnreachable } from './retry-while-unreachable.ts';

const passing = () => new BatonError('daemon_unreachable', 'Not now.');

test('a transient failure is retried with the attempt number', async () => {
  const attempts: number[] = [];
  const answer = await retryWhileUnreachable(async (attempt) => {
    attempts.push(attempt);
    if (attempt < 2) throw passing();
    return 'yes';
  }, new AbortController().signal);
  expect(answer).toBe('yes');
  expect(attempts).toEqual([0, 1, 2]);
});

test('a permanent failure is not retried', async () => {
  let asked = 0;
  const refused = retryWhileUnreachable(async () => {
    asked += 1;
    throw new BatonError('not_found', 'Not here.');
  }, new AbortController().signal);
  await expect(refused).rejects.toThrow('Not here.');
  expect(asked).toBe(1);
});

test('aborting ends the retries with the last failure', async () => {
  const stop = new AbortController();
  let asked = 0;
  const unwanted = retryWhileUnreachable(async () => {
    asked += 1;
    if (asked === 2) stop.abort();
    throw passing();
  }, stop.signal);
  await expect(unwanted).rejects.toThrow('Not now.');
  expect(asked).toBe(2);
});
