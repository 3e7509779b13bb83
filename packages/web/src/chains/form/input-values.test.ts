import { expect, test } from 'vitest';
import { isRequired, valuesFor } from './input-values.ts';

const INPUTS = [
  { name: 'task' },
  { name: 'branch', default: 'main' },
  { name: 'depth', choices: ['quick', 'deep'], default: 'quick' },
];

test('a form begins with the defaults', () => {
  expect(valuesFor(INPUTS)).toEqual({ task: '', branch: 'main', depth: 'quick' });
});

test('the values of an earlier run come first, unless they are no longer a choice', () => {
  const earlier = { task: 'Fix it', branch: '', depth: 'thorough', removed: 'x' };
  expect(valuesFor(INPUTS, earlier)).toEqual({ task: 'Fix it', branch: '', depth: 'quick' });
});

test('the name of an input may be that of an object method', () => {
  expect(valuesFor([{ name: 'constructor' }])).toEqual({ constructor: '' });
});

test('only inputs without a default are required', () => {
  expect(INPUTS.filter(isRequired).map(({ name }) => name)).toEqual(['task']);
});
