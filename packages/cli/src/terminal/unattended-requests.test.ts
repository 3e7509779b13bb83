import type { AgentEvent } from '@baton/protocol';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { UnattendedRequests } from './unattended-requests.ts';

let announced: string[];
let unasked: UnattendedRequests;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  announced = [];
  unasked = new UnattendedRequests((requestId) => announced.push(requestId));
});

const see = (type: string, requestId: string) =>
  unasked.see({ type, requestId } as unknown as AgentEvent);

test('a request that still waits after a while is announced, once', () => {
  see('permission.requested', 'one');
  see('question.requested', 'two');
  expect(announced).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(announced).toEqual(['one', 'two']);
});

test('a request that is settled at once is not announced', () => {
  see('permission.requested', 'one');
  see('question.requested', 'two');
  see('permission.resolved', 'one');
  see('question.resolved', 'two');
  vi.advanceTimersByTime(60_000);
  expect(announced).toEqual([]);
});

test('nothing waits after the end', () => {
  see('permission.requested', 'one');
  unasked.end();
  vi.advanceTimersByTime(60_000);
  expect(announced).toEqual([]);
});
