import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineCounts } from './line-counts.ts';

test('a new file adds all its lines', () => {
  expect(lineCounts({ kind: 'add', diff: '+a\n-b\n' })).toEqual({ added: 2, removed: 0 });
  expect(lineCounts({ kind: 'add', diff: 'a' })).toEqual({ added: 1, removed: 0 });
  expect(lineCounts({ kind: 'add' })).toEqual({ added: 0, removed: 0 });
});

test('the headers of a diff are not lines, and lines that look like headers are', () => {
  const diff = '--- a\n+++ b\n@@ -1 +1,2 @@\n--- x\n+++ y\n++ z\n\\ No newline at end of file\n';
  expect(lineCounts({ kind: 'edit', diff })).toEqual({ added: 2, removed: 1 });
});

test('a diff without hunks is counted by its signs', () => {
  const diff = '--- a\n+++ b\n@@\n a\n-b\n+c\n+d\n';
  expect(lineCounts({ kind: 'edit', diff })).toEqual({ added: 2, removed: 1 });
});

test('every line of every hunk is counted once, whatever it contains', () => {
  const line = fc.tuple(
    fc.constantFrom(' ', '+', '-'),
    fc.constantFrom('', 'a', '++ b', '-- c', '@@'),
  );
  const hunks = fc.array(fc.array(line, { minLength: 1 }), { minLength: 1 });
  fc.assert(
    fc.property(hunks, (all) => {
      const having = (lines: (typeof all)[number], ...signs: string[]) =>
        lines.filter(([sign]) => signs.includes(sign)).length;
      const texts = all.map((lines) => {
        const ranges = `-1,${having(lines, ' ', '-')} +1,${having(lines, ' ', '+')}`;
        return [`@@ ${ranges} @@`, ...lines.map((each) => each.join(''))].join('\n');
      });
      expect(lineCounts({ kind: 'edit', diff: `${texts.join('\n')}\n` })).toEqual({
        added: having(all.flat(), '+'),
        removed: having(all.flat(), '-'),
      });
    }),
  );
});
