import { expect, test } from 'vitest';
import { parseDiff } from './parse-diff.ts';
import { sideBySide } from './side-by-side.ts';

const DIFF = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -3,4 +3,4 @@ function f() {
 same
-old
--- not a header
+new
\\ No newline at end of file
`;

test('a unified diff has its lines with their numbers', () => {
  const { lines, added, removed } = parseDiff({ kind: 'edit', diff: DIFF });
  expect(lines).toEqual([
    { kind: 'gap', text: 'function f() {' },
    { kind: 'same', text: 'same', before: 3, after: 3 },
    { kind: 'remove', text: 'old', before: 4 },
    { kind: 'remove', text: '-- not a header', before: 5 },
    { kind: 'add', text: 'new', after: 4 },
  ]);
  expect([added, removed]).toEqual([1, 2]);
});

test('the text of a new file is all new', () => {
  const { lines, added } = parseDiff({ kind: 'add', diff: 'a\n- b\n' });
  expect(lines.map(({ text, after }) => [text, after])).toEqual([
    ['a', 1],
    ['- b', 2],
  ]);
  expect(added).toBe(2);
});

test('a diff without places is shown without numbers', () => {
  const { lines } = parseDiff({ kind: 'edit', diff: '--- a\n+++ b\n-x\n+y\n z' });
  expect(lines).toEqual([
    { kind: 'remove', text: 'x' },
    { kind: 'add', text: 'y' },
    { kind: 'same', text: 'z' },
  ]);
});

test('a change without a diff has no lines', () => {
  expect(parseDiff({ kind: 'delete' })).toEqual({ lines: [], added: 0, removed: 0 });
});

test('side by side, a removed line is next to its replacement', () => {
  const { lines } = parseDiff({ kind: 'edit', diff: '@@ -1,3 +1,2 @@\n-a\n-b\n+c\n d\n' });
  const texts = sideBySide(lines).map(({ before, after }) => [before?.text, after?.text]);
  expect(texts).toEqual([
    ['a', 'c'],
    ['b', undefined],
    ['d', 'd'],
  ]);
});

test('lines added at the beginning of a file have no gap before them', () => {
  const { lines } = parseDiff({ kind: 'edit', diff: '@@ -0,0 +1,1 @@\n+a\n' });
  expect(lines).toEqual([{ kind: 'add', text: 'a', after: 1 }]);
});
