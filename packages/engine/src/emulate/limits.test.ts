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
const asks: EventDraft = {
  type: 'permission.requested',
  requestId: 'r',
  callId: 'c',
  tool: 'n',
  action: { type: 'other' },
  scopes: ['once'],
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

  test('an answer in the last turn passes', () => {
    expect(stops({ maxTurns: 3 }, [...turn, ...turn, says])).toEqual([]);
  });

  test('the end of the tools of the last turn stops the run, before anything of the next', () => {
    expect(stops({ maxTurns: 2 }, [...turn, says, calls])).toEqual([]);
    expect(stops({ maxTurns: 2 }, [...turn, ...turn])).toEqual(['max_turns']);
  });

  test('the run is stopped once', () => {
    expect(stops({ maxTurns: 1 }, [...turn, ...turn, ...turn])).toEqual(['max_turns']);
  });

  test('thinking, speaking and calling several tools is one turn', () => {
    const many = [says, says, calls, { ...calls, callId: 'd' }];
    expect(stops({ maxTurns: 1 }, [...many, ends])).toEqual([]);
    expect(stops({ maxTurns: 1 }, [...many, ends, { ...ends, callId: 'd' }])).toEqual([
      'max_turns',
    ]);
  });

  test('a turn can start with a tool, or with the request for one', () => {
    expect(stops({ maxTurns: 1 }, [calls, ends])).toEqual(['max_turns']);
    expect(stops({ maxTurns: 1 }, [asks, calls, ends])).toEqual(['max_turns']);
  });

  test('the turns of sub-agents do not count', () => {
    const sub = turn.map((draft) => ({ ...draft, parentId: 'task' }));
    expect(stops({ maxTurns: 1 }, [says, calls, ...sub, ...sub])).toEqual([]);
  });
});

describe('turns of an agent that reports its usage after each reply', () => {
  const limits = (maxTurns: number) => ({ maxTurns, reportsEachCall: true });
  const used = costs(undefined);

  test('tools that run one after the other belong to one turn until the usage arrives', () => {
    const turn = [calls, ends, calls, ends];
    expect(stops(limits(2), [...turn, used, ...turn])).toEqual([]);
    expect(stops(limits(2), [...turn, used, ...turn, used])).toEqual(['max_turns']);
  });

  test('usage while a tool runs, or before any tool, ends no turn', () => {
    expect(stops(limits(1), [says, used, calls, used])).toEqual([]);
    expect(stops(limits(1), [says, used, calls, used, ends, used])).toEqual(['max_turns']);
  });

  test('without any usage each round of tools counts', () => {
    expect(stops(limits(2), [calls, ends, calls, ends])).toEqual([]);
    expect(stops(limits(2), [calls, ends, calls, ends, calls])).toEqual(['max_turns']);
  });

  test('text after tools begins a turn, with or without usage', () => {
    expect(stops(limits(1), [used, calls, ends, says])).toEqual(['max_turns']);
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
