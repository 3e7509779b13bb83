import fc from 'fast-check';
import { expect, test } from 'vitest';
import { array, isObject, number, object, parseJson, string } from './json.ts';

test('a value is taken for what it is, and for nothing else', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(string(value)).toBe(typeof value === 'string' ? value : undefined);
      expect(number(value)).toBe(Number.isFinite(value) ? value : undefined);
      expect(array(value)).toEqual(Array.isArray(value) ? value : []);
      expect(isObject(value)).toBe(
        typeof value === 'object' && value !== null && !Array.isArray(value),
      );
      expect(object(value)).toEqual(isObject(value) ? value : {});
    }),
  );
});

test('a line is read as JSON, or not at all', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const line = JSON.stringify(value);
      expect(parseJson(line)).toEqual(JSON.parse(line));
    }),
  );
  for (const line of ['', '{', 'npm warn', 'undefined', "{'a':1}"])
    expect(parseJson(line)).toBeUndefined();
});
