import { expect, test } from 'vitest';
import { movedLines } from './moved-lines.ts';

const at = (line: number, end_line = line) => ({ line, end_line });

test.each([
  ['nothing changed', '', at(5), at(5)],
  ['two lines came before', '@@ -1,0 +2,2 @@\n+x\n+y', at(5), at(7)],
  ['a line came directly before', '@@ -4,0 +5 @@\n+x', at(5), at(6)],
  ['a line came directly after', '@@ -5,0 +6 @@\n+x', at(5), at(5)],
  ['lines before were removed', '@@ -1,3 +0,0 @@\n-a\n-b\n-c', at(5, 6), at(2, 3)],
  ['lines before were replaced by more', '@@ -2 +2,3 @@\n-a\n+b\n+c\n+d', at(5), at(7)],
  ['lines after were changed', '@@ -9,2 +9 @@\n-a\n-b\n+c', at(5, 8), at(5, 8)],
  ['changes before and after', '@@ -1 +0,0 @@\n-a\n@@ -9 +8 @@\n-b\n+c', at(5), at(4)],
])('follows lines if %s', (_, patch, before, after) => {
  expect(movedLines(patch, before)).toEqual(after);
});

test.each([
  ['the line was changed', '@@ -5 +5 @@\n-a\n+b', at(5)],
  ['the line was removed', '@@ -4,3 +3,0 @@\n-a\n-b\n-c', at(5)],
  ['one line of a range was changed', '@@ -7 +7 @@\n-a\n+b', at(5, 8)],
  ['a line came into the range', '@@ -6,0 +7 @@\n+x', at(5, 8)],
])('does not know the lines if %s', (_, patch, before) => {
  expect(movedLines(patch, before)).toBeUndefined();
});
