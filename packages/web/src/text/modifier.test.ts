import { expect, test } from 'vitest';
import { modifierOf } from './modifier.ts';

test.each([
  ['MacIntel', '⌘'],
  ['iPad', '⌘'],
  ['Linux x86_64', 'Ctrl'],
  ['Win32', 'Ctrl'],
  ['', 'Ctrl'],
])('the key that goes with others is on %s called %s', (platform, name) => {
  expect(modifierOf(platform)).toBe(name);
});
