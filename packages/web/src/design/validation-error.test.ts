import { expect, test } from 'vitest';
import { type Checked, unlessAbove, validationError } from './validation-error.ts';

const field = (validity: Checked['validity'], more: Partial<Checked> = {}): Checked => ({
  ...{ validity, validationMessage: 'Of the browser', ...more },
});

test.each<[Checked, string | undefined]>([
  [field({ valid: true }), undefined],
  [field({ valueMissing: true }), 'Required.'],
  [field({ tooShort: true }, { minLength: 10 }), 'Must be at least 10 characters.'],
  [field({ rangeUnderflow: true }, { min: '1' }), 'Must be at least 1.'],
  [field({ patternMismatch: true }, { title: 'Only capitals.' }), 'Only capitals.'],
  [field({ patternMismatch: true }), 'Of the browser'],
  [
    field({ typeMismatch: true }, { type: 'url' }),
    'Enter a URL starting with https:// or http://.',
  ],
  [field({ customError: true }, { validationMessage: 'Not JSON.' }), 'Not JSON.'],
])('%j', (checked, words) => {
  expect(validationError(checked)).toBe(words);
});

test('an amount that has to be more than another is not the same', () => {
  expect(unlessAbove(0, 0)).toBe('Must be greater than 0.');
  expect(unlessAbove(0, 0.01)).toBeUndefined();
  expect(unlessAbove(0, undefined)).toBeUndefined();
  expect(unlessAbove(undefined, -1)).toBeUndefined();
});
