import type { BackendRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { usualKeys } from './usual-keys.ts';

const agent = (key_variables: string[], credentials: string) =>
  ({ key_variables, probe: { credentials } }) as unknown as BackendRecord;

test('keys of agents that lack one are suggested first, each once', () => {
  const agents = [agent(['A', 'B'], 'found'), agent(['C'], 'missing'), agent([], 'not_needed')];
  expect(usualKeys(agents)).toEqual(['C', 'A', 'B']);
});
