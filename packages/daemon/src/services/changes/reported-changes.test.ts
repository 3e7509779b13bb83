import { expect, test } from 'vitest';
import { patchOfFile } from './reported-changes.ts';

const section = (name: string, line: string) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n+${line}\n`;

test('finds the part of a file by its position, whatever its lines look like', () => {
  const files = [
    { path: 'a', kind: 'modified' },
    { path: 'link', kind: 'replaced' },
    { path: 'ä', kind: 'added' },
  ] as const;
  const [a, gone, come, umlaut] = [
    section('a', 'diff --git a/x b/x'),
    section('link', 'old'),
    section('link', 'new'),
    section('"\\303\\244"', 'text'),
  ];
  const patch = `${a}${gone}${come}${umlaut}`;
  expect(patchOfFile(patch, files, 'a')).toBe(a);
  expect(patchOfFile(patch, files, 'link')).toBe(`${gone}${come}`);
  expect(patchOfFile(patch, files, 'ä')).toBe(umlaut);
  expect(patchOfFile(patch, files, 'other')).toBeUndefined();
  expect(patchOfFile(a, files, 'ä')).toBeUndefined();
});
