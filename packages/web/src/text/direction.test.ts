import { expect, test } from 'vitest';
import { directionOf } from './direction.ts';

test.each([
  ['', 'ltr'],
  ['1. Hello مرحبا', 'ltr'],
  ['  12: مرحبا hello', 'rtl'],
  ['שלום', 'rtl'],
  ['漢字', 'ltr'],
  ['🎼 Ελλάδα', 'ltr'],
])('%j is written %s', (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});
