import { type ChainDraft, type ChainEvent, foldChain } from '@baton/protocol';
import { expect, test } from 'vitest';
import { activeTime, pendingApprovals, statusOf } from './run-state.ts';

const STARTED: ChainDraft = { type: 'chain.started', chain: 'ship', inputs: {} };

function chainOf(...drafts: ChainDraft[]) {
  return foldChain(
    [STARTED, ...drafts].map((draft, index) => {
      return { ...draft, seq: index + 1, time: 100 * (index + 1) } as ChainEvent;
    }),
  );
}

test('events say how a run is, unless no process runs it', () => {
  const running = chainOf();
  const done = chainOf({ type: 'chain.completed', outcome: 'done' });
  const record = { status: 'running', completed_at: null } as const;
  expect(statusOf(record, undefined)).toBe('running');
  expect(statusOf(record, done)).toBe('done');
  const interrupted = { status: 'interrupted', completed_at: null } as const;
  expect(statusOf(interrupted, running)).toBe('interrupted');
  expect(statusOf(interrupted, done)).toBe('done');
});

test('finds the steps that wait for an approval', () => {
  const chain = chainOf(
    { type: 'approval.requested', step: 'a', message: 'A?' },
    { type: 'approval.requested', step: 'b', message: 'B?' },
    { type: 'approval.answered', step: 'a', decision: 'approve' },
  );
  expect(pendingApprovals(chain).map(({ step }) => step)).toEqual(['b']);
});

test('a run that has ended takes no more time', () => {
  expect(activeTime(chainOf(), 1100)).toBe(1000);
  expect(activeTime(chainOf({ type: 'chain.completed', outcome: 'done' }), 9000)).toBe(100);
});
