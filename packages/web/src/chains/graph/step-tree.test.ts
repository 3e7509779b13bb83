import type { OutlineStep, StepState } from '@baton/protocol';
import { expect, test } from 'vitest';
import { countSteps, type StepNode, stepTree } from './step-tree.ts';

const OUTLINE: OutlineStep[] = [
  { id: 'plan', kind: 'agent' },
  {
    id: 'both',
    kind: 'parallel',
    steps: [
      { id: 'one', kind: 'agent' },
      { id: 'two', kind: 'agent' },
    ],
  },
  {
    id: 'fix',
    kind: 'loop',
    iterations: 3,
    steps: [
      { id: 'test', kind: 'agent' },
      { id: 'ok', kind: 'approval' },
    ],
  },
  { id: 'again', kind: 'agent', iterations: 2 },
];

function states(...entries: [path: string, state: Partial<StepState>][]) {
  return new Map(
    entries.map(([step, state]) => {
      return [step, { step, status: 'done', startedAt: 0, attempts: 1, ...state } as StepState];
    }),
  );
}

/** A tree in a few words. */
function words(nodes: readonly StepNode[]): unknown[] {
  return nodes.map(({ path, state, steps, iterations }) => {
    const inside = [
      ...words(steps),
      ...iterations.map((each) => [`${each.path} ${each.status}`, ...words(each.steps)]),
    ];
    const own = `${path} ${state?.status}`;
    return inside.length === 0 ? own : [own, ...inside];
  });
}

test('a run that has not begun shows every step once', () => {
  expect(words(stepTree(OUTLINE, new Map()))).toEqual([
    'plan undefined',
    ['both undefined', 'both/one undefined', 'both/two undefined'],
    ['fix undefined', 'fix#1/test undefined', 'fix#1/ok undefined'],
    'again undefined',
  ]);
});

test('loops and agents that run several times list the iterations that have begun', () => {
  const tree = stepTree(
    OUTLINE,
    states(
      ['plan', {}],
      ['fix', { status: 'running' }],
      // Items of a list begin at the same time, in any order.
      ['fix#2/test', { status: 'failed' }],
      ['fix#1/test', {}],
      ['fix#1/ok', { status: 'skipped' }],
      ['again', { status: 'running' }],
      ['again#1', { status: 'running' }],
    ),
  );
  expect(words(tree)).toEqual([
    'plan done',
    ['both undefined', 'both/one undefined', 'both/two undefined'],
    [
      'fix running',
      ['fix#1 done', 'fix#1/test done', 'fix#1/ok skipped'],
      ['fix#2 failed', 'fix#2/test failed', 'fix#2/ok undefined'],
    ],
    ['again running', ['again#1 running']],
  ]);
});

test('an iteration between two steps is running', () => {
  const [, , fix] = stepTree(OUTLINE, states(['fix', { status: 'running' }], ['fix#1/test', {}]));
  expect(fix?.iterations[0]?.status).toBe('running');
});

test('a step with others inside consumed what they consumed', () => {
  const usage = (costUsd: number) => ({ usage: { costUsd } });
  const [plan, both, fix] = stepTree(
    OUTLINE,
    states(
      ['plan', usage(1)],
      ['both/one', usage(2)],
      ['both/two', { usage: { costUsd: 3, costEstimated: true } }],
      ['fix#1/test', usage(4)],
      ['fix#2/test', usage(5)],
    ),
  );
  expect(plan?.usage).toEqual({ costUsd: 1 });
  expect(both?.usage).toEqual({ costUsd: 5, costEstimated: true });
  expect(fix?.usage).toEqual({ costUsd: 9 });
});

test('counts agents and approvals', () => {
  expect(countSteps(OUTLINE)).toBe(6);
});
