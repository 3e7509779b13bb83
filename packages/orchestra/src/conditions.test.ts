import { describe, expect, test } from 'vitest';
import type { Condition } from './chain.ts';
import { conditionWords, holds } from './conditions.ts';
import type { Scope } from './scope.ts';

const SCOPE: Scope = {
  inputs: {},
  steps: new Map([
    [
      'review',
      {
        outcome: 'done',
        output: 'See the verdict.',
        structured: { verdict: 'reject', files: [], owner: null, score: { value: 3 } },
      },
    ],
    ['test', { outcome: 'timed_out', output: '  approve \n' }],
    ['docs', { outcome: 'skipped', output: '' }],
  ]),
  previous: { outcome: 'failed', output: '' },
};

describe('holds', () => {
  test.each<[Condition, boolean]>([
    [{ step: 'review', outcome: 'done' }, true],
    [{ step: 'review', outcome: 'failed' }, false],
    [{ step: 'test', outcome: ['failed', 'timed_out'] }, true],
    [{ step: 'docs', outcome: 'skipped' }, true],
    [{ step: 'previous', outcome: 'failed' }, true],
    [{ step: 'review', path: 'verdict', equals: 'reject' }, true],
    [{ step: 'review', path: 'verdict', equals: 'Reject' }, false],
    [{ step: 'review', path: 'score', equals: { value: 3 } }, true],
    [{ step: 'review', path: 'score.value', equals: '3' }, false],
    [{ step: 'review', path: 'owner', equals: null }, true],
    [{ step: 'review', path: 'owner', exists: true }, true],
    [{ step: 'review', path: 'files', exists: true }, true],
    [{ step: 'review', path: 'files.0', exists: true }, false],
    [{ step: 'review', path: 'constructor', exists: true }, false],
    [{ step: 'review', path: '__proto__', exists: false }, true],
    [{ step: 'test', equals: 'approve' }, true],
    [{ step: 'test', path: 'verdict', equals: 'approve' }, false],
    [{ step: 'test', exists: true }, true],
    [{ step: 'docs', exists: true }, false],
    [{ not: { step: 'review', outcome: 'failed' } }, true],
    [
      {
        all: [
          { step: 'review', outcome: 'done' },
          { step: 'test', outcome: 'done' },
        ],
      },
      false,
    ],
    [
      {
        any: [
          { step: 'review', outcome: 'done' },
          { step: 'test', outcome: 'done' },
        ],
      },
      true,
    ],
  ])('%j: %s', (condition, expected) => {
    expect(holds(condition, SCOPE)).toBe(expected);
  });

  test('a step that did not run has no outcome and no value', () => {
    const nothing: Scope = { inputs: {}, steps: new Map() };
    for (const step of ['review', 'previous']) {
      expect(holds({ step, outcome: ['done', 'failed', 'skipped'] }, nothing)).toBe(false);
      expect(holds({ step, equals: undefined }, nothing)).toBe(false);
      expect(holds({ step, path: 'a', exists: true }, nothing)).toBe(false);
      expect(holds({ step, exists: false }, nothing)).toBe(true);
    }
  });
});

test.each<[Condition, string]>([
  [{ step: 'review', outcome: 'failed' }, 'if review failed'],
  [{ step: 'review', outcome: ['failed', 'timed_out'] }, 'if review failed or timed out'],
  [{ step: 'previous', outcome: 'done' }, 'if the previous step succeeded'],
  [{ step: 'review', path: 'verdict', equals: 'reject' }, 'if review.verdict is "reject"'],
  [{ step: 'review', equals: 3 }, 'if the output of review is 3'],
  [{ step: 'previous', path: 'a.b', exists: true }, 'if a.b of the previous step exists'],
  [{ step: 'plan', path: 'files', exists: false }, 'if plan.files is missing'],
  [{ not: { step: 'review', outcome: 'failed' } }, 'if not (review failed)'],
  [
    {
      all: [
        { step: 'a', outcome: 'done' },
        {
          any: [
            { step: 'b', outcome: 'skipped' },
            { step: 'c', outcome: 'cancelled' },
          ],
        },
      ],
    },
    'if a succeeded and (b was skipped or c was cancelled)',
  ],
])('%j reads "%s"', (condition, words) => {
  expect(conditionWords(condition)).toBe(words);
});
