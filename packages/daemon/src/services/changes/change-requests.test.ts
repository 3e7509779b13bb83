import { expect, test, vi } from 'vitest';
import { ChangeRequests } from './change-requests.ts';

test('callers at the same time share one request, and go on with its answer', async () => {
  const requests = new ChangeRequests();
  const next = requests.next('s', 1000);
  const done: string[] = [];
  const asked = [
    requests.ask('s').then(() => done.push('one')),
    requests.ask('s').then(() => done.push('two')),
  ];
  expect(await next).toBe(true);
  expect(done).toEqual([]);
  requests.answered('s');
  await Promise.all(asked);
  expect(done).toEqual(['one', 'two']);
});

test('nobody waits for an executor that does not ask for requests, or does not answer', async () => {
  vi.useFakeTimers();
  try {
    const requests = new ChangeRequests();
    await requests.ask('s');
    const next = requests.next('s', 1000);
    const asked = requests.ask('s');
    expect(await next).toBe(true);
    await vi.advanceTimersByTimeAsync(10_000);
    await asked;
    const unasked = requests.next('s', 1000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await unasked).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
