import { expect, test } from 'vitest';
import { expandContext, isWhole, numberGaps } from './expand-context.ts';
import type { DiffLine } from './parse-diff.ts';

/** A file of 40 lines, of which the lines 10 and 30 are changed. */
const ALL: DiffLine[] = Array.from({ length: 40 }, (_, index) => ({
  kind: index === 9 || index === 29 ? 'add' : 'same',
  text: `${index + 1}`,
  after: index + 1,
}));

test('without expanded gaps, three lines are around each change', () => {
  expect(words(expandContext(ALL, new Map()))).toBe('gap0 7-13 gap1 27-33 gap2');
});

test('lines of a gap appear above its hunk, and at the end below it', () => {
  expect(words(expandContext(ALL, new Map([[1, 5]])))).toBe('gap0 7-13 gap1 22-33 gap2');
  expect(words(expandContext(ALL, new Map([[0, 20]])))).toBe('1-13 gap1 27-33 gap2');
  expect(words(expandContext(ALL, new Map([[2, 4]])))).toBe('gap0 7-13 gap1 27-37 gap2');
  const whole = new Map([0, 1, 2].map((gap) => [gap, 100] as const));
  expect(words(expandContext(ALL, whole))).toBe('1-40');
});

test('gaps of a short diff have the same numbers as those of the whole file', () => {
  const short = expandContext(ALL, new Map()).map((line): DiffLine => {
    const { gap: _, ...others } = line;
    return others;
  });
  expect(words(numberGaps(short.slice(0, -1)))).toBe('gap0 7-13 gap1 27-33 gap2');
});

test('a patch with several hunks, or that starts later, does not have all lines', () => {
  expect(isWhole('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+@@ -9 +9 @@\n three\n')).toBe(
    true,
  );
  expect(isWhole('@@ -1 +1 @@\n-a\n+b\n@@ -30 +30 @@\n-c\n+d\n')).toBe(false);
  expect(isWhole('@@ -30 +30 @@\n-c\n+d\n')).toBe(false);
});

function words(lines: readonly DiffLine[]): string {
  const found: string[] = [];
  let first: number | undefined;
  lines.forEach(({ kind, gap, after }, index) => {
    if (kind === 'gap') found.push(`gap${gap}`);
    first ??= after;
    if (first === undefined || lines[index + 1]?.kind === kind || lines[index + 1]?.after) return;
    found.push(`${first}-${after}`);
    first = undefined;
  });
  return found.join(' ');
}
