import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileDiff } from './file-diff.ts';

/** What a file becomes by a diff of one hunk, as a program that knows the format would make it. */
function patched(before: string, diff: string): string {
  const [header = '', ...body] = diff.split('\n').slice(0, -1);
  const [, start, oldCount, , newCount] =
    /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(header)?.map(Number) ?? [];
  const kept = textOf(body, '-');
  const fresh = textOf(body, '+');
  expect([oldCount, newCount]).toEqual([linesOf(kept).length, linesOf(fresh).length]);
  const head = linesOf(before)
    .slice(0, Math.max((start ?? 0) - 1, 0))
    .join('');
  expect(before.startsWith(head + kept)).toBe(true);
  return head + fresh + before.slice(head.length + kept.length);
}

function textOf(body: readonly string[], sign: '+' | '-'): string {
  return body.reduce((text, line, index) => {
    if (line.startsWith('\\') || ![sign, ' '].includes(line.charAt(0))) return text;
    return `${text}${line.slice(1)}${body[index + 1]?.startsWith('\\') ? '' : '\n'}`;
  }, '');
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

test('with the diff the old file becomes the new one, to the last character', () => {
  const unit = fc.constantFrom('a', 'b', '\n', '\n', ' ', '+', '-', '\\');
  const part = fc.string({ unit, maxLength: 20 });
  fc.assert(
    fc.property(part, part, part, part, (head, tail, one, other) => {
      const [before, after] = [head + one + tail, head + other + tail];
      expect(patched(before, fileDiff(before, after))).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test('three lines around a change are context', () => {
  const file = (middle: string) => `1\n2\n3\n4\n5\n${middle}\n7\n8\n9\n10\n11\n`;
  expect(fileDiff(file('old'), file('new'))).toBe(
    '@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-old\n+new\n 7\n 8\n 9\n',
  );
});

test('a last line without an end says so', () => {
  expect(fileDiff('a', 'a\n')).toBe('@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n');
});
