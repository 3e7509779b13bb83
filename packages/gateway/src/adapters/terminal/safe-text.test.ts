import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeLabel, safeRequest, safeText } from './safe-text.ts';

const RUNS = { numRuns: 500 };
const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u009b31m',
    '\r',
    '\b',
    '\u001b',
    '\n',
    '\t',
  ),
);
const hostile = fc.array(piece).map((pieces) => pieces.join(''));
const CONTROL = /[^\P{Cc}\n\t]/u;

describe('safeText', () => {
  test('leaves no control character but line feed and tab', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safeText(text)).not.toMatch(CONTROL);
        expect(safeRequest(text)).not.toMatch(CONTROL);
        expect(safeLabel(text)).not.toMatch(/\p{Cc}/u);
      }),
      RUNS,
    );
  });

  test('does not change text without control characters', () => {
    const plain = fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text));
    fc.assert(
      fc.property(fc.array(plain), fc.constantFrom('\n', '\t'), (parts, separator) => {
        const text = parts.join(separator);
        expect(safeText(text)).toBe(text);
      }),
      RUNS,
    );
  });

  test('removes whole control sequences', () => {
    expect(safeText('a\u001b[31mred\u001b[0m b\r\nc\u001b]0;title\u0007d')).toBe('ared b\ncd');
  });
});

describe('safeRequest', () => {
  test('shows what would be hidden', () => {
    expect(safeRequest('rm \u001b[8m-rf /\u001b[0m\u202e')).toBe(
      'rm ⟨U+001B⟩[8m-rf /⟨U+001B⟩[0m⟨U+202E⟩',
    );
  });
});

describe('safeLabel', () => {
  test('is one line', () => {
    expect(safeLabel('Allow\n[2] Deny\ttwice')).toBe('Allow [2] Deny twice');
  });
});
