import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapedJson, showUnseen, showUnseenInText } from './unseen.ts';

const anything = fc.string({ unit: 'binary' });
const unseen = [
  '\u0000\u0007\u001B\r\u007F\u0085\u009B',
  '\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200E\u200F\u061C',
  '\u200B\u200C\u200D\u2060\u2063\uFEFF\u00AD\u034F\u180E\uFE0F\uFFF9',
  '\u00A0\u2003\u2028\u2029\u202F\u3000\u115F\u3164\uFFA0\u2800',
  '\u{E0041}\u{E01EF}\uD800',
  '\uFFFC\u{1D159}\u{13441}\u{13442}\u{16FE4}\uFDD0\u{1FFFE}\uE0B0\u{F0000}\u{10FFFD}',
].join('');

test('what cannot be seen in a command is shown as a mark', () => {
  expect(showUnseen('echo \u202E"dlrow olleh"')).toBe('echo ⟨U+202E⟩"dlrow olleh"');
  expect(showUnseen('a\u0007\u{E0041}b')).toBe('a⟨U+0007⟩⟨U+E0041⟩b');
  for (const each of unseen) expect(showUnseen(each)).toMatch(/^⟨U\+[0-9A-F]{4,6}⟩$/);
});

test('what can be seen stays as it is', () => {
  const seen = 'Grüße, 漢字 سلام שלום \u{1F600}\n\tx = "⟨y⟩"';
  expect(showUnseen(seen)).toBe(seen);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      expect(showUnseen(text)).toBe(text);
    }),
  );
});

test('different texts never look the same, unless one of them writes a mark itself', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', ...unseen) });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(showUnseen(one) === showUnseen(other)).toBe(one === other);
    }),
  );
});

test('nothing that is marked is left, and marking twice changes nothing more', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const shown = showUnseen(text);
      expect(shown).not.toMatch(/[^\P{Cc}\n\t]|\p{Cf}|\p{Bidi_Control}/u);
      expect(showUnseen(shown)).toBe(shown);
    }),
  );
});

test('texts keep what scripts and emoji are made with, and the ends of their lines', () => {
  const words = 'می\u200Cخواهم ক্\u200Dষ র\u200D্য 10\u00A0%\u3000x\r\n\uE0B0';
  const emoji =
    '\u{1F469}\u{1F3FD}\u200D\u{1F4BB} \u2764\uFE0F\u200D\u{1F525} \u26A0\uFE0F 1\uFE0F\u20E3';
  for (const text of [words, emoji]) expect(showUnseenInText(text)).toBe(text);
  expect(showUnseenInText('if (a\u200B) \u2067return\u3164;\u001B')).toBe(
    'if (a⟨U+200B⟩) ⟨U+2067⟩return⟨U+3164⟩;⟨U+001B⟩',
  );
});

test.each([
  ['the end of a line for programs', 'a = 1 # b\rc()', 'a = 1 # b⟨U+000D⟩c()'],
  ['two of them', 'a\r\r\n', 'a⟨U+000D⟩\r\n'],
  ['other ends of lines', '// a\u2028b()\u2029c()', '// a⟨U+2028⟩b()⟨U+2029⟩c()'],
  ['a joiner in a name', 'is\u200DAdmin\u200C()', 'is⟨U+200D⟩Admin⟨U+200C⟩()'],
  ['a joiner at the edge of other letters', 'é\u200Cx', 'é⟨U+200C⟩x'],
  ['joiners in a row', 'ب\u200C\u200D\u200Cب', 'ب⟨U+200C⟩⟨U+200D⟩⟨U+200C⟩ب'],
  ['a look of letters and digits', 'a\uFE0E 1\uFE0F é\uFE0F', 'a⟨U+FE0E⟩ 1⟨U+FE0F⟩ é⟨U+FE0F⟩'],
  ['looks in a row', '\u26A0\uFE0F\uFE0E\uFE0F', '\u26A0\uFE0F⟨U+FE0E⟩⟨U+FE0F⟩'],
  ['no character at all', 'a\uFFFE\uFFFCb', 'a⟨U+FFFE⟩⟨U+FFFC⟩b'],
])('%s is marked in texts too', (_name, text, shown) => {
  expect(showUnseenInText(text)).toBe(shown);
});

test('JSON has escapes in their place, and stays the same value', () => {
  expect(escapedJson({ command: 'echo \u202Ex\u{E0041}' })).toBe(
    '{\n  "command": "echo \\u202ex\\udb40\\udc41"\n}',
  );
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = escapedJson(value);
      expect(showUnseen(text)).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
