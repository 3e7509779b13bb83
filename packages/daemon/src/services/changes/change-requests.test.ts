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

test('a request between two calls of the executor is answered by its next one', async () => {
  const requests = new ChangeRequests();
  const first = requests.next('s', 1000);
  const done: string[] = [];
  const one = requests.ask('s').then(() => done.push('one'));
  expect(await first).toBe(true);
  // The files may have been read already, so the answer to the first request is too old for this one.
  const two = requests.ask('s').then(() => done.push('two'));
  requests.answered('s');
  await one;
  expect(done).toEqual(['one']);
  const three = requests.ask('s').then(() => done.push('three'));
  expect(await requests.next('s', 1000)).toBe(true);
  expect(done).toEqual(['one']);
  requests.answered('s');
  await Promise.all([two, three]);
  expect(done).toEqual(['one', 'two', 'three']);
});

test('an executor that calls again ends its earlier call, and gets the request once', async () => {
  const requests = new ChangeRequests();
  const lost = requests.next('s', 1000);
  const next = requests.next('s', 1000);
  expect(await lost).toBe(false);
  const asked = requests.ask('s');
  expect(await next).toBe(true);
  requests.answered('s');
  await asked;
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
    // The executor is forgotten: it has not called again.
    await requests.ask('s');
    const unasked = requests.next('s', 1000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await unasked).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
