import fc from 'fast-check';
import { expect, test } from 'vitest';
import { optionValue } from './option-value.ts';

test.each<[string, unknown]>([
  ['high', 'high'],
  ['', ''],
  ['true', true],
  ['false', false],
  ['3', 3],
  ['-0.5', -0.5],
  ['["a","b"]', ['a', 'b']],
  ['{"inputPerMillion":1.25}', { inputPerMillion: 1.25 }],
  ['"3"', '3'],
  ['"true"', 'true'],
])('%j is read as %j', (text, value) => {
  expect(optionValue(text)).toEqual(value);
});

test.each(['null', 'True', '007', '1e3', '1.0', ' 3', '12345678901234567890', 'NaN', 'Infinity'])(
  '%j is a text, as it is written',
  (text) => {
    expect(optionValue(text)).toBe(text);
  },
);

test.each(['{a:1}', '[1', '"open', '{'])('parses %j, which is not JSON, as a string', (text) => {
  expect(optionValue(text)).toBe(text);
});

test('quotes make a text of anything', () => {
  fc.assert(fc.property(fc.string(), (text) => optionValue(JSON.stringify(text)) === text));
});
