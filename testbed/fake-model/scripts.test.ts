import { expect, test } from 'vitest';
import { Scripts } from './scripts.ts';
import type { Step } from './steps.ts';

function scripted(steps: Step[]) {
  const scripts = new Scripts();
  scripts.register('k', steps);
  return (turns: number) => scripts.choose({ key: 'k', turns });
}

test('the number of turns picks the step, and after the last one the model is done', () => {
  const choose = scripted([{ text: 'one' }, { text: 'two' }]);
  expect(choose(0)).toEqual({ step: { text: 'one' }, index: 0 });
  expect(choose(1)).toEqual({ step: { text: 'two' }, index: 1 });
  expect(choose(2)).toEqual({ step: { text: 'Done.' }, index: undefined });
});

test('asking again gives the same step again', () => {
  const choose = scripted([{ text: 'one' }]);
  expect(choose(0)).toEqual(choose(0));
});

test('a fault with a count strikes that often and then gives way', () => {
  const choose = scripted([{ status: 500, times: 2 }, { text: 'one' }, { text: 'two' }]);
  expect([choose(0), choose(0), choose(0)].map((chosen) => chosen.index)).toEqual([0, 0, 1]);
  expect(choose(1).index).toBe(2);
});

test('a fault between two turns strikes only there', () => {
  const choose = scripted([{ text: 'one' }, { drop: 'hard', times: 1 }, { text: 'two' }]);
  expect([choose(0), choose(1), choose(1), choose(2)].map((chosen) => chosen.index)).toEqual([
    0,
    1,
    2,
    undefined,
  ]);
});

test('a fault without a count never gives way', () => {
  const choose = scripted([{ fault: 'auth' }, { text: 'never' }]);
  expect([choose(0), choose(0), choose(5)].map((chosen) => chosen.index)).toEqual([0, 0, 0]);
});

test('an answer that is cut off uses up a turn', () => {
  const choose = scripted([{ fault: 'max_tokens', times: 2 }, { text: 'whole' }]);
  expect([choose(0), choose(1), choose(2)].map((chosen) => chosen.index)).toEqual([0, 0, 1]);
});

test('a new script for a key starts its faults afresh', () => {
  const scripts = new Scripts();
  const steps: Step[] = [{ status: 500, times: 1 }];
  const choose = () => scripts.choose({ key: 'k', turns: 0 }).index;
  scripts.register('k', steps);
  expect([choose(), choose()]).toEqual([0, undefined]);
  scripts.register('k', steps);
  expect(choose()).toBe(0);
});

test('scenarios are there without being registered, and a script may replace one', () => {
  const scripts = new Scripts();
  expect(scripts.choose({ key: 'plain', turns: 0 }).index).toBe(0);
  scripts.register('plain', [{ text: 'mine' }]);
  expect(scripts.choose({ key: 'plain', turns: 0 }).step).toEqual({ text: 'mine' });
});

test('an unknown key gets the default answer', () => {
  const chosen = new Scripts().choose({ key: 'nobody-wrote-this', turns: 0 });
  expect(chosen).toEqual({ step: { text: 'Hello from the fake model.' }, index: undefined });
});
