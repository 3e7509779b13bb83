import { expect, test } from 'vitest';
import { shortName } from './short-name.ts';

test.each([
  ['claude-cli', 'claude'],
  ['droid', 'droid'],
  ['amp', 'amp'],
  ['cursor-cli', 'cursor'],
  ['mynah', 'mynah'],
])('the name of %s that people type is %s', (id, name) => {
  expect(shortName(id)).toBe(name);
});
