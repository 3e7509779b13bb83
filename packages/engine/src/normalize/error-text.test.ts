import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ERROR_TEXT_LIMIT, errorText, withoutMiddle } from './error-text.ts';

test('the limit is 500 characters', () => {
  expect(ERROR_TEXT_LIMIT).toBe(500);
});

test('a short text stays as it is', () => {
  expect(errorText('Something broke.\n')).toBe('Something broke.');
});

test('of a long text both ends are kept, and it says that it was cut', () => {
  const text = errorText(`The cause.\n${'noise '.repeat(1000)}the end`);
  expect(text.length).toBeLessThanOrEqual(500);
  expect(text).toMatch(/^The cause\.\nnoise .* … \(5\d+ characters omitted\) … .*noise the end$/s);
});

test('noise is taken out before the text is cut', () => {
  const stderr = `the reason\n${'npm warn something\n'.repeat(200)}`;
  expect(errorText(stderr, [/^npm warn/])).toBe('the reason');
});

test('colours and cursor movements are taken out', () => {
  expect(errorText('\u001b[31merror\u001b[0m: \u001b[2Kno')).toBe('error: no');
});

test.each(['', '\n\n', ' \n\t\n'])('%j says nothing', (stderr) => {
  expect(errorText(stderr)).toBe('');
});

describe('whatever was printed', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 2000 });

  test('the text is never too long', () => {
    fc.assert(
      fc.property(anything, (stderr) => {
        expect(errorText(stderr).length).toBeLessThanOrEqual(500);
      }),
    );
  });

  test('the cut never goes through a character', () => {
    fc.assert(
      fc.property(fc.nat(3), (shift) => {
        expect(withoutMiddle('\u{1F600}'.repeat(400) + 'x'.repeat(shift)).isWellFormed()).toBe(
          true,
        );
      }),
    );
  });

  test('a text within the limit is not touched by the cut', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), (text) => {
        expect(withoutMiddle(text)).toBe(text);
      }),
    );
  });
});
