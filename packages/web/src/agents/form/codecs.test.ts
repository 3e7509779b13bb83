import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { codecFor } from './codecs.ts';

const STRINGS = { type: 'array', items: { type: 'string' } };
const RECORD = { type: 'object', additionalProperties: { type: 'string' } };

test.each([
  ['lines', STRINGS, fc.array(fc.string(), { minLength: 1 })],
  ['pairs', RECORD, fc.dictionary(fc.string(), fc.string(), { minKeys: 1, noNullPrototype: true })],
  ['words or JSON', {}, fc.oneof(fc.string(), fc.jsonValue())],
  ['JSON', { type: 'array', items: {} }, fc.array(fc.jsonValue())],
] as const)('what is written as %s is read as the same', (_name, schema, values) => {
  const { write, read } = codecFor(schema);
  void fc.assert(
    fc.property(values as fc.Arbitrary<unknown>, (value) => {
      // JSON has no minus zero.
      const same = JSON.parse(JSON.stringify(value));
      expect(read(write(same))).toEqual({ value: same });
    }),
  );
});

test('people write lists and variables without quotes', () => {
  expect(codecFor(STRINGS).read('Read\n Bash(git *) \n')).toEqual({
    value: ['Read', 'Bash(git *)'],
  });
  expect(codecFor(RECORD).read('A=1\nB = two=2')).toEqual({ value: { A: '1', B: 'two=2' } });
  expect(codecFor(RECORD).read('A')).toEqual({ mistake: 'Expected NAME=value, got "A".' });
  expect(codecFor(RECORD).read('A=1\nB=2\nA=3')).toEqual({ mistake: 'A is set twice.' });
  expect(codecFor({}).read('high')).toEqual({ value: 'high' });
  expect(codecFor({}).read('0.5')).toEqual({ value: 0.5 });
  expect(codecFor({ type: 'object' }).read('high')).toEqual({ mistake: 'Invalid JSON.' });
});
