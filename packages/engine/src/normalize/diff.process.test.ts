import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileDiff, replacementDiff } from './diff.ts';

const numbered = (count: number, name = 'line') =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}\n`);
const headers = (diff: string) => diff.split('\n').filter((line) => line.startsWith('@@'));

describe('the diff between two versions of a file', () => {
  test('turns the old version into the new one, to the last character', () => {
    const unit = fc.constantFrom('a', 'b', '\n', '\n', ' ', '+', '-', '\\', '\r');
    const part = fc.string({ unit, maxLength: 20 });
    fc.assert(
      fc.property(part, part, part, part, (head, tail, one, other) => {
        const [before, after] = [head + one + tail, head + other + tail];
        const options = { autoConvertLineEndings: false };
        expect(applyPatch(before, fileDiff(before, after), options)).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  test('has a hunk for each of two edits that are far apart', () => {
    const old = numbered(40);
    const changed = old.with(4, 'first edit\n').with(34, 'second edit\n');
    expect(headers(fileDiff(old.join(''), changed.join('')))).toEqual([
      '@@ -2,7 +2,7 @@',
      '@@ -32,7 +32,7 @@',
    ]);
  });

  test('has three lines of context around a change', () => {
    const file = (middle: string) => `1\n2\n3\n4\n5\n${middle}\n7\n8\n9\n10\n11\n`;
    expect(fileDiff(file('old'), file('new'))).toBe(
      '@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-old\n+new\n 7\n 8\n 9\n',
    );
  });

  test('marks a last line without a newline', () => {
    expect(fileDiff('a', 'a\n')).toBe('@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n');
  });

  test('is empty for equal versions', () => {
    expect(fileDiff('a\n', 'a\n')).toBe('');
  });

  test('replaces everything when two large files have little in common', () => {
    const old = numbered(100_000, 'old').join('');
    const fresh = numbered(100_000, 'new').join('').trimEnd();
    const diff = fileDiff(old, fresh);
    expect(headers(diff)).toEqual(['@@ -1,100000 +1,100000 @@']);
    expect(diff.endsWith('\n+new 100000\n\\ No newline at end of file\n')).toBe(true);
  });

  test.each([
    ['added', '', numbered(100_000).join(''), '@@ -0,0 +1,100000 @@'],
    ['removed', numbered(100_000).join(''), '', '@@ -1,100000 +0,0 @@'],
  ])('is one hunk for a large file that is %s', (_what, before, after, header) => {
    expect(headers(fileDiff(before, after))).toEqual([header]);
  });
});

describe('the diff of a replaced part', () => {
  test.each([
    ['a\nb\nc\n', 'a\nx\ny\nc\n', '@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n'],
    ['a\n', 'a\na\n', '@@ -1,1 +1,2 @@\n a\n+a\n'],
    ['a', 'b', '@@ -1,1 +1,1 @@\n-a\n+b\n'],
    ['', 'a\n', '@@ -0,0 +1,1 @@\n+a\n'],
    ['a\n', '', '@@ -1,1 +0,0 @@\n-a\n'],
    ['', '', ''],
  ])('from %j to %j', (before, after, diff) => {
    expect(replacementDiff(before, after)).toBe(diff);
  });

  test('can be applied by git', () => {
    const folder = mkdtempSync(join(tmpdir(), 'diff-'));
    try {
      const [before, after] = ['one\ntwo\nthree\n', 'one\n2\n\nthree\nfour\n'];
      writeFileSync(join(folder, 'f'), before);
      const patch = `--- a/f\n+++ b/f\n${replacementDiff(before, after)}`;
      execFileSync('git', ['apply', '-'], { cwd: folder, input: patch });
      expect(readFileSync(join(folder, 'f'), 'utf8')).toBe(after);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
