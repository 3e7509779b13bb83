import { describe, expect, test, vi } from 'vitest';
import type { EventDraft } from '../definition/dialect.ts';
import { type Limits, watchLimits } from './limits.ts';

const says: EventDraft = { type: 'message.started', messageId: 'm', kind: 'text' };
const calls: EventDraft = {
  type: 'tool.started',
  callId: 'c',
  name: 'n',
  action: { type: 'other' },
};
const ends: EventDraft = { type: 'tool.completed', callId: 'c', outcome: 'ok' };
const costs = (costUsd: number | undefined): EventDraft => ({
  type: 'usage.updated',
  usage: { costUsd },
});

/** The codes with which the limits stopped the run. */
function stops(limits: Limits, drafts: readonly EventDraft[]): string[] {
  const stop = vi.fn();
  const see = watchLimits(limits, stop);
  for (const draft of drafts) see(draft);
  return stop.mock.calls.map(([{ error }]) => error.code);
}

describe('turns', () => {
  const turn = [says, calls, ends];

  test('as many as allowed pass', () => {
    expect(stops({ maxTurns: 3 }, [...turn, ...turn, says])).toEqual([]);
  });

  test('one more stops the run, once', () => {
    expect(stops({ maxTurns: 1 }, [...turn, ...turn, ...turn])).toEqual(['max_turns']);
  });

  test('thinking, speaking and calling several tools is one turn', () => {
    const many = [says, says, calls, { ...calls, callId: 'd' }];
    expect(stops({ maxTurns: 1 }, [...many, ends])).toEqual([]);
  });

  test('a turn can start with a tool', () => {
    expect(stops({ maxTurns: 1 }, [calls, ends, calls])).toEqual(['max_turns']);
  });

  test('the turns of sub-agents do not count', () => {
    const sub = turn.map((draft) => ({ ...draft, parentId: 'task' }));
    expect(stops({ maxTurns: 1 }, [says, calls, ...sub, ...sub, ends])).toEqual([]);
  });
});

describe('the budget', () => {
  test('may be used up', () => {
    expect(stops({ budgetUsd: 0.5 }, [costs(0.2), costs(0.5)])).toEqual([]);
  });

  test('stops the run when it is passed, once, with both amounts in the message', () => {
    const stop = vi.fn();
    const see = watchLimits({ budgetUsd: 0.5 }, stop);
    for (const cost of [0.2, 0.51, 0.6]) see(costs(cost));
    expect(stop).toHaveBeenCalledTimes(1);
    expect(stop.mock.calls[0]?.[0]).toMatchObject({
      outcome: 'failed',
      error: { code: 'budget_exceeded', message: expect.stringMatching(/0\.5100.*0\.5\b/) },
    });
  });

  test('says that the cost is an estimate', () => {
    const stop = vi.fn();
    const usage = { costUsd: 1, costEstimated: true };
    watchLimits({ budgetUsd: 0.5 }, stop)({ type: 'usage.updated', usage });
    expect(stop.mock.calls[0]?.[0].error.message).toContain('The estimated cost of $1.0000');
  });

  test('cannot be judged without a cost', () => {
    expect(stops({ budgetUsd: 0.5 }, [costs(undefined)])).toEqual([]);
  });

  test('counts what sub-agents cost too', () => {
    expect(stops({ budgetUsd: 0.5 }, [{ ...costs(1), parentId: 'task' }])).toEqual([
      'budget_exceeded',
    ]);
  });
});

test('without limits nothing stops', () => {
  expect(stops({}, [costs(1e9), says, calls, ends, says, calls, ends])).toEqual([]);
});
