import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { choiceLines } from './ask-permission.ts';

const CHOICES = [
  ['y', 'yes'],
  ['s', 'yes, for this session'],
  ['a', 'always'],
  ['n', 'no'],
  ['r', 'no, with a reason'],
  ['d', 'details'],
] as const;

test.each([40, 80, 100])('choices are broken between them at %d columns', (columns) => {
  const lines = stripVTControlCharacters(choiceLines(CHOICES, columns)).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
  expect(lines.join('')).toBe(`${CHOICES.map(([key, words]) => `  [${key}] ${words}`).join('')} `);
  for (const line of lines) expect(line).toMatch(/^ {2}\[/);
});

test('a terminal that is too narrow for one choice has one on each line', () => {
  expect(choiceLines(CHOICES, 5).split('\n')).toHaveLength(CHOICES.length);
});
