import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { patiently } from './patiently.ts';

const passing = () => new BatonError('daemon_unreachable', 'Not now.');

test('what fails in passing is asked again, and is told the number of the attempt', async () => {
  const attempts: number[] = [];
  const answer = await patiently(async (attempt) => {
    attempts.push(attempt);
    if (attempt < 2) throw passing();
    return 'yes';
  }, new AbortController().signal);
  expect(answer).toBe('yes');
  expect(attempts).toEqual([0, 1, 2]);
});

test('what fails for good is not asked again', async () => {
  let asked = 0;
  const refused = patiently(async () => {
    asked += 1;
    throw new BatonError('not_found', 'Not here.');
  }, new AbortController().signal);
  await expect(refused).rejects.toThrow('Not here.');
  expect(asked).toBe(1);
});

test('the asking ends with the last failure once nobody wants the answer any more', async () => {
  const stop = new AbortController();
  let asked = 0;
  const unwanted = patiently(async () => {
    asked += 1;
    if (asked === 2) stop.abort();
    throw passing();
  }, stop.signal);
  await expect(unwanted).rejects.toThrow('Not now.');
  expect(asked).toBe(2);
});
