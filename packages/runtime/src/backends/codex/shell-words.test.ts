import { expect, test } from 'vitest';
import { unwrapShell } from './shell-words.ts';

test.each([
  ["/bin/bash -lc 'echo hi'", 'echo hi'],
  ['/bin/bash -lc ls', 'ls'],
  ["/usr/bin/zsh -lc 'touch a && ls'", 'touch a && ls'],
  ['bash -c "it\'s \\"here\\" \\$HOME"', 'it\'s "here" $HOME'],
  ["/bin/bash -lc 'it'\\''s'", "it's"],
  ["/bin/bash -lc 'one\ntwo'", 'one\ntwo'],
  ['/bin/bash -lc ls -la', '/bin/bash -lc ls -la'],
  ["/bin/bash -lc 'broken", "/bin/bash -lc 'broken"],
  ['python3 -c "print(1)"', 'python3 -c "print(1)"'],
  ['touch a', 'touch a'],
  ['', ''],
])('%s is %s', (command, expected) => {
  expect(unwrapShell(command)).toBe(expected);
});
