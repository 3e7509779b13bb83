import { createBaton } from '@baton/agents/registry/create-baton';
import { expect, test } from 'vitest';
import { shortName } from './short-name.ts';

const baton = await createBaton({ settings: 'none' });

test.each([
  ['claude-cli', 'claude'],
  ['droid', 'droid'],
  ['amp', 'amp'],
  ['cursor-cli', 'cursor'],
  ['mynah', 'mynah'],
])('the name of %s that people type is %s', (id, name) => {
  expect(shortName(baton, id)).toBe(name);
});
