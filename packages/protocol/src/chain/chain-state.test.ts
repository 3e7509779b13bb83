import { expect, test } from 'vitest';
import { type ChainDraft, type ChainEvent, chainEventSchema } from './chain-event.ts';
import { foldChain } from './chain-state.ts';

function events(...drafts: (ChainDraft & { time?: number })[]): ChainEvent[] {
  return drafts.map((draft, index) => {
    const event = { time: (index + 1) * 10, ...draft, seq: index + 1 } as ChainEvent;
    expect(chainEventSchema.parse(event)).toEqual(event);
    return event;
  });
}

test('folds the states of steps, what they gave and what they consumed', () => {
  const state = foldChain(
    events(
      { type: 'chain.started', chain: 'ship', inputs: {} },
      { type: 'step.started', step: 'a', backend: 'demo', sessionId: 's', taskId: 't' },
      { type: 'step.interrupted', step: 'a', usage: { costUsd: 1 } },
      { type: 'step.started', step: 'a', backend: 'demo', sessionId: 's', taskId: 't2' },
      {
        ...{ type: 'step.completed', step: 'a', outcome: 'done', output: 'x' },
        usage: { costUsd: 2 },
      },
      { type: 'step.completed', step: 'b', outcome: 'skipped' },
      { type: 'chain.completed', outcome: 'done' },
    ),
  );
  expect(state).toMatchObject({ status: 'done', usage: { costUsd: 3 }, activeMs: 60 });
  expect(state.steps.get('a')).toMatchObject({
    ...{ status: 'done', output: 'x', attempts: 2, taskId: 't2', startedAt: 40, endedAt: 50 },
  });
  expect(state.steps.get('b')).toMatchObject({ status: 'skipped', attempts: 0 });
});

test('waits for every approval', () => {
  const asked = events(
    { type: 'chain.started', chain: 'ship', inputs: {} },
    { type: 'approval.requested', step: 'a', message: 'A?' },
    { type: 'approval.requested', step: 'b', message: 'B?' },
    { type: 'approval.answered', step: 'a', decision: 'approve' },
    { type: 'approval.answered', step: 'b', decision: 'reject', comment: 'No.' },
  );
  const statuses = asked.map((_, index) => foldChain(asked.slice(0, index + 1)).status);
  expect(statuses).toEqual([
    'running',
    'awaiting_approval',
    'awaiting_approval',
    'awaiting_approval',
    'running',
  ]);
  expect(foldChain(asked).steps.get('b')?.decision).toEqual({ decision: 'reject', comment: 'No.' });
});

test('counts only the time in which a process ran the chain', () => {
  const state = foldChain(
    events(
      { type: 'chain.started', chain: 'ship', inputs: {}, time: 0 },
      { type: 'step.started', step: 'a', time: 100 },
      // Its process was killed here.
      { type: 'chain.resumed', time: 5000 },
      { type: 'chain.completed', outcome: 'failed', time: 5050 },
      { type: 'chain.resumed', time: 9000 },
      { type: 'chain.completed', outcome: 'done', time: 9001 },
    ),
  );
  expect(state.activeMs).toBe(100 + 50 + 1);
});
