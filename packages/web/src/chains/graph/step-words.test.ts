import type { OutlineStep } from '@baton/protocol';
import { expect, test } from 'vitest';
import { stepTree } from './step-tree.ts';
import { kindWords } from './step-words.ts';

function words(step: OutlineStep, begun = 0): string[] {
  const states = Array.from({ length: begun }, (_, index) => {
    const path = `${step.id}#${index + 1}/a`;
    return [path, { step: path, status: 'done', startedAt: 0, attempts: 1 }] as const;
  });
  return stepTree([step], new Map(states)).map(kindWords);
}

test('a step that repeats says how often it ran and how often it may', () => {
  const steps: OutlineStep[] = [{ id: 'a', kind: 'agent' }];
  const loop: OutlineStep = { id: 'fix', kind: 'loop', iterations: 5, steps };
  expect(words(loop)).toEqual(['Loop: up to 5 iterations']);
  expect(words(loop, 2)).toEqual(['Loop: iteration 2 of up to 5']);
  const each: OutlineStep = { id: 'each', kind: 'forEach', steps };
  expect(words(each)).toEqual(['For each']);
  expect(words(each, 1)).toEqual(['For each: 1 item']);
});
