import { expect, test } from 'vitest';
import { array, isObject, number, object, parseJson, string } from './json.ts';

test.each([
  [{ a: 1 }, true],
  [{}, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['{}', false],
  [0, false],
])('knows whether %j is an object', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});

test('reads a field of the expected type and ignores any other', () => {
  expect(string('')).toBe('');
  expect(string(1)).toBeUndefined();
  expect(number(0)).toBe(0);
  expect(number('0')).toBeUndefined();
  expect(number(Number.NaN)).toBeUndefined();
  expect(number(Number.POSITIVE_INFINITY)).toBeUndefined();
});

test('replaces a missing object or array by an empty one', () => {
  expect(object({ a: 1 })).toEqual({ a: 1 });
  expect(object(null)).toEqual({});
  expect(object([1])).toEqual({});
  expect(array([1])).toEqual([1]);
  expect(array({ length: 1 })).toEqual([]);
  expect(array(undefined)).toEqual([]);
});

test.each([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['null', null],
  ['""', ''],
  [' 1 ', 1],
  ['', undefined],
  ['{', undefined],
  ['npm warn', undefined],
  ['undefined', undefined],
  ["{'a':1}", undefined],
])('parses the line %j', (line, expected) => {
  expect(parseJson(line)).toEqual(expected);
});
