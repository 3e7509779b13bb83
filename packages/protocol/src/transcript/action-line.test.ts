import { expect, test } from 'vitest';
import { actionLine } from './action-line.ts';

test.each([
  ['turned writing', 'echo \u202E"dlrow olleh"', '$ echo ⟨U+202E⟩"dlrow olleh"'],
  ['nothing to see', 'ls a\u200Bb', '$ ls a⟨U+200B⟩b'],
  ['a colour', 'echo \u001B[8mx', '$ echo ⟨U+001B⟩[8mx'],
  ['a line written over', 'date\recho', '$ date⟨U+000D⟩echo'],
  ['another line', 'date # now\necho x\n', '$ date # now ⏎ echo x'],
  ['a tab', "cut -d'\t' a", "$ cut -d' ⇥ ' a"],
  ['another space at the end', 'ls\u00A0', '$ ls⟨U+00A0⟩'],
  ['a wide space at the end', 'ls \u3000', '$ ls ⟨U+3000⟩'],
  ['a mark at the end', 'ls\uFEFF', '$ ls⟨U+FEFF⟩'],
  ['another end of a line at the end', 'ls\u2028', '$ ls⟨U+2028⟩'],
  ['another space on a last line', 'cat a\n\u00A0', '$ cat a ⏎ ⟨U+00A0⟩'],
])('%s is seen in the line of a command', (_name, command, expected) => {
  expect(actionLine('shell', { type: 'command', command })).toBe(expected);
});

test('a path is whole to its end', () => {
  expect(actionLine('Read', { type: 'file.read', path: 'a\nb\n' })).toBe('Read a ⏎ b ⏎ ');
});
