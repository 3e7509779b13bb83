import { expect, test } from 'vitest';
import { benchmarksNamed } from './catalog.ts';

test('finds benchmarks by name or prefix', () => {
  const names = (...words: string[]) => benchmarksNamed(words).map(({ name }) => name);
  expect(names('tax-codex')).toEqual(['tax-codex-live', 'tax-codex-print']);
  expect(names('version', 'turns')).toEqual(['version', 'turns']);
  expect(names()).toHaveLength(new Set(names()).size);
  expect(() => names('ta')).toThrow('There is no benchmark "ta"');
});
