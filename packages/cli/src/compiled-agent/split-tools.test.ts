import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitTools } from './split-tools.ts';

test.each([
  [['Read,Edit'], ['Read', 'Edit']],
  [
    ['Read Edit', 'Bash'],
    ['Read', 'Edit', 'Bash'],
  ],
  [['Bash(git log:*),Read'], ['Bash(git log:*)', 'Read']],
  [['Bash(echo (a, b)) Read'], ['Bash(echo (a, b))', 'Read']],
  [[' , '], []],
  [['Bash(echo'], ['Bash(echo']],
])('%j is %j', (values, tools) => {
  expect(splitTools(values)).toEqual(tools);
});

test('finds every tool of a list, however it is written', () => {
  const name = fc.stringMatching(/^[A-Za-z_]+$/);
  const rule = fc.stringMatching(/^[a-z ,:*]*$/);
  const tool = fc.oneof(
    name,
    fc.tuple(name, rule).map(([each, inside]) => `${each}(${inside})`),
  );
  const lists = fc.array(fc.array(tool, { minLength: 1 }));
  fc.assert(
    fc.property(lists, fc.constantFrom(',', ' ', ', ', '\n'), (values, separator) => {
      const written = values.map((tools) => tools.join(separator));
      expect(splitTools(written)).toEqual(values.flat());
    }),
  );
});
