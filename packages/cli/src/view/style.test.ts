import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneLine, safe } from './style.ts';
import { textWidth } from './text-width.ts';

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\u001b', '[', ']', '3', '1', 'm', ';', '\u0007', '\u009b', 'x'),
  }),
);

/** Returns the control characters that a terminal would interpret. */
function commands(text: string): string[] {
  return [...text].filter((each) => /\p{Cc}/u.test(each) && each !== '\n' && each !== '\t');
}

describe('whatever an agent writes', () => {
  test('no command for the terminal is left in it', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(commands(safe(text))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('making it safe twice changes nothing more', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(safe(safe(text))).toBe(safe(text));
      }),
    );
  });

  test('plain text stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(safe(text)).toBe(text);
      }),
    );
    expect(safe('Grüße, 漢字 \u{1F600}\n\tx')).toBe('Grüße, 漢字 \u{1F600}\n\tx');
  });

  test.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['the title of the window', '\u001b]0;pwned\u0007text', 'text'],
    ['a link', '\u001b]8;;http://evil\u0007click\u001b]8;;\u0007', 'click'],
    ['an erased screen', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['the one-character form', 'a\u009b31mb', 'ab'],
    ['a carriage return', 'rm -rf /\rls', 'rm -rf /ls'],
    ['backspaces', 'evil\b\b\b\bgood', 'evilgood'],
  ])('removes %s', (_name, text, expected) => {
    expect(safe(text)).toBe(expected);
  });
});

describe('one line', () => {
  test('is one line, and never wider than asked for', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 50 }), (text, width) => {
        const line = oneLine(text, width);
        expect(line).not.toMatch(/[\n\t\r]/);
        expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('does not reorder what follows it', () => {
    expect(oneLine('one \u202Eowt\u202C \u2066x\u2069', 80)).toBe('one owt x');
  });

  test('keeps spaces between words, and splits no character', () => {
    expect(oneLine('rm a  b', 80)).toBe('rm a  b');
    expect(oneLine('ab\u{1F600}cd', 4)).toBe('ab…');
  });

  test('shows that it was cut', () => {
    expect(oneLine('one two three', 8)).toBe('one two…');
    expect(oneLine(' one\n\n two ', 80)).toBe('one two');
  });
});
