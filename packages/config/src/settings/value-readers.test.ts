import { PERMISSION_MODES } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  count,
  duration,
  list,
  milliseconds,
  money,
  permissionMode,
  positiveInteger,
  text,
  type ValueReader,
  yesOrNo,
} from './value-readers.ts';

const READERS: Readonly<Record<string, ValueReader<unknown>>> = {
  count,
  duration,
  list,
  milliseconds,
  money,
  permissionMode,
  positiveInteger,
  text,
  yesOrNo,
};

describe.each(Object.entries(READERS))('%s', (_name, reader) => {
  test('never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string()), (raw) => {
        expect(() => reader.read(raw)).not.toThrow();
      }),
    );
  });

  test('describes the expected value', () => {
    expect(reader.expected).toMatch(/\w/);
  });

  test.each([null, undefined, {}, () => {}, Number.NaN])('rejects %s', (raw) => {
    expect(reader.read(raw)).toBeUndefined();
  });
});

describe('numbers', () => {
  const numeric = [count, duration, milliseconds, money, positiveInteger];

  test('are finite and never negative, whatever the input', () => {
    const digits = fc.stringMatching(/^[0-9]{1,400}(\.[0-9]{1,5})?(ms|s|m|h)?$/);
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), digits), (raw) => {
        for (const reader of numeric) {
          const value = reader.read(raw) ?? 0;
          expect(Number.isFinite(value) && value >= 0).toBe(true);
        }
      }),
    );
  });

  test('as text mean the same as numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (value) => {
        for (const reader of [count, duration, milliseconds, positiveInteger])
          expect(reader.read(String(value))).toBe(reader.read(value));
      }),
    );
  });

  test.each(['', ' ', 'five', '1.5', '-1', '1e3', '0x10', '12abc', '1 2'])(
    '%j is not a whole number',
    (raw) => {
      for (const reader of [count, milliseconds, positiveInteger])
        expect(reader.read(raw)).toBeUndefined();
    },
  );

  test('zero counts, but is not above zero', () => {
    for (const zero of [0, '0', ' 0 ', '00']) {
      expect(count.read(zero)).toBe(0);
      expect(milliseconds.read(zero)).toBe(0);
      expect(positiveInteger.read(zero)).toBeUndefined();
      expect(money.read(zero)).toBeUndefined();
    }
  });
});

describe('a time', () => {
  test.each([
    ['90', 90_000],
    [90, 90_000],
    ['90s', 90_000],
    ['1.5s', 1500],
    ['250ms', 250],
    ['5m', 300_000],
    ['5 m', 300_000],
    [' 1h ', 3_600_000],
    ['0', 0],
    [0, 0],
  ])('%j is %d milliseconds', (raw, expected) => {
    expect(duration.read(raw)).toBe(expected);
  });

  test.each([
    '',
    'soon',
    '-5',
    '5d',
    '5min',
    '1h30m',
    '1e3',
    '.5',
    '5.',
    -1,
    Number.POSITIVE_INFINITY,
  ])('%j is none', (raw) => {
    expect(duration.read(raw)).toBeUndefined();
  });

  test.each([
    [0, '0s'],
    [250, '250ms'],
    [1500, '1500ms'],
    [90_000, '90s'],
    [120_000, '2m'],
    [3_600_000, '1h'],
    [5_400_000, '90m'],
  ])('%d milliseconds are written as %s', (value, expected) => {
    expect(duration.write?.(value)).toBe(expected);
  });

  test('means the same when it is written and read again', () => {
    fc.assert(
      fc.property(fc.nat(), (value) => {
        expect(duration.read(duration.write?.(value))).toBe(value);
      }),
    );
  });

  test('is longer in longer units', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (amount) => {
        const read = ['ms', 's', 'm', 'h'].map((unit) => duration.read(`${amount}${unit}`) ?? 0);
        expect(read).toEqual([amount, amount * 1000, amount * 60_000, amount * 3_600_000]);
      }),
    );
  });
});

describe('money', () => {
  test.each([
    ['0.5', 0.5],
    [' 2 ', 2],
    [1.25, 1.25],
  ])('%j is %d', (raw, expected) => {
    expect(money.read(raw)).toBe(expected);
  });

  test.each(['', ' ', '$1', '-1', 'free', '1,5'])('%j is none', (raw) => {
    expect(money.read(raw)).toBeUndefined();
  });
});

describe('a list', () => {
  test('is split at commas and tidied', () => {
    expect(list.read(' Read, Edit ,,Bash(git log:*),')).toEqual([
      'Read',
      'Edit',
      'Bash(git log:*)',
    ]);
    expect(list.read('')).toEqual([]);
    expect(list.read(['Read', 'a,b'])).toEqual(['Read', 'a,b']);
    expect(list.read(['Read', 1])).toBeUndefined();
  });

  test('a comma inside parentheses belongs to the rule', () => {
    expect(list.read('Bash(a, b),Read')).toEqual(['Bash(a, b)', 'Read']);
  });

  test('of plain words survives a round trip with commas', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[A-Za-z_*:-]+$/)), (words) => {
        expect(list.read(words.join(','))).toEqual(words);
      }),
    );
  });
});

describe('yes or no', () => {
  test.each(['1', 'true', 'TRUE', 'yes', 'on', true])('%j is yes', (raw) => {
    expect(yesOrNo.read(raw)).toBe(true);
  });
  test.each(['0', 'false', 'No', 'off', false])('%j is false', (raw) => {
    expect(yesOrNo.read(raw)).toBe(false);
  });
  test.each(['maybe', '2', 1, 0])('%j is neither', (raw) => {
    expect(yesOrNo.read(raw)).toBeUndefined();
  });
});

test('a permission mode is exactly one of the known values', () => {
  for (const mode of PERMISSION_MODES) expect(permissionMode.read(mode)).toBe(mode);
  for (const wrong of ['', 'ASK', 'yolo', 1]) expect(permissionMode.read(wrong)).toBeUndefined();
});
