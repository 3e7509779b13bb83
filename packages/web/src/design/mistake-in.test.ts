import { expect, test } from 'vitest';
import { type Checked, mistakeIn, unlessAbove } from './mistake-in.ts';

const field = (validity: Checked['validity'], more: Partial<Checked> = {}): Checked => ({
  ...{ validity, validationMessage: 'Of the browser', ...more },
});

test.each<[Checked, string | undefined]>([
  [field({ valid: true }), undefined],
  [field({ valueMissing: true }), 'This has to be filled in.'],
  [field({ tooShort: true }, { minLength: 10 }), 'At least 10 characters.'],
  [field({ rangeUnderflow: true }, { min: '1' }), 'At least 1.'],
  [field({ patternMismatch: true }, { title: 'Only capitals.' }), 'Only capitals.'],
  [field({ patternMismatch: true }), 'Of the browser'],
  [
    field({ typeMismatch: true }, { type: 'url' }),
    'This is not an address. It begins with https:// or http://.',
  ],
  [field({ customError: true }, { validationMessage: 'Not JSON.' }), 'Not JSON.'],
])('%j', (checked, words) => {
  expect(mistakeIn(checked)).toBe(words);
});

test('an amount that has to be more than another is not the same', () => {
  expect(unlessAbove(0, 0)).toBe('More than 0.');
  expect(unlessAbove(0, 0.01)).toBeUndefined();
  expect(unlessAbove(0, undefined)).toBeUndefined();
  expect(unlessAbove(undefined, -1)).toBeUndefined();
});
