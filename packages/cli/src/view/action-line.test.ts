import { expect, test } from 'vitest';
import { actionLine } from './action-line.ts';

test.each([
  ['turned writing', 'echo \u202E"dlrow olleh"', '$ echo ⟨U+202E⟩"dlrow olleh"'],
  ['nothing to see', 'ls a\u200Bb', '$ ls a⟨U+200B⟩b'],
  ['a colour', 'echo \u001B[8mx', '$ echo ⟨U+001B⟩[8mx'],
  ['a line written over', 'date\recho', '$ date⟨U+000D⟩echo'],
  ['another line', 'date # now\necho x\n', '$ date # now ⏎ echo x'],
])('%s is seen in the line of a command', (_name, command, expected) => {
  expect(actionLine('shell', { type: 'command', command })).toBe(expected);
});
