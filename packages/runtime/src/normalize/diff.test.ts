import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replacementDiff } from './diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', '', ' c', '-d', '+e', '@@ f', '\t\\'), {
  maxLength: 12,
});

/** What a hunk makes of a text, line by line, as a program that knows the format would. */
function applied(before: readonly string[], hunk: string): string[] {
  const [header = '', ...body] = hunk.split('\n').slice(0, -1);
  const [, oldCount, newCount] = /^@@ -\d+,(\d+) \+\d+,(\d+) @@$/.exec(header) ?? [];
  const kept = body.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  const after = body.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  expect(kept).toEqual(before);
  expect([kept.length, after.length]).toEqual([Number(oldCount), Number(newCount)]);
  return after;
}

const text = (each: readonly string[]) => each.map((line) => `${line}\n`).join('');

test('applying the hunk to the old text gives the new one', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      expect(applied(before, replacementDiff(text(before), text(after)))).toEqual(after);
    }),
    { numRuns: 500 },
  );
});

test('what both texts begin and end with is context', () => {
  expect(replacementDiff('a\nb\nc\n', 'a\nx\ny\nc\n')).toBe(
    '@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n',
  );
});

test('a line counts once, also when the texts overlap', () => {
  expect(replacementDiff('a\n', 'a\na\n')).toBe('@@ -1,1 +1,2 @@\n a\n+a\n');
});

test.each([
  ['', 'a\n', '@@ -0,0 +1,1 @@\n+a\n'],
  ['a\n', '', '@@ -1,1 +0,0 @@\n-a\n'],
  ['', '', '@@ -0,0 +0,0 @@\n'],
])('from %j to %j', (before, after, hunk) => {
  expect(replacementDiff(before, after)).toBe(hunk);
});

test('the hunk can begin at another line', () => {
  expect(replacementDiff('a', 'b', 7)).toBe('@@ -7,1 +7,1 @@\n-a\n+b\n');
});

test('git applies it', () => {
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
