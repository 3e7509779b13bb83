import { expect, test } from 'vitest';
import { foundFacts } from './found-facts.ts';

const probe = { backend: 'x', problems: [], install: 'npm install x' };

test('detected facts include the origin of the key, and nothing for a missing agent', () => {
  const found = { ...probe, installed: true, version: '2', path: '/bin/x', foundBy: 'PATH' };
  expect(foundFacts({ ...found, credentials: 'found', credentialSource: 'the API key A' })).toEqual(
    [
      ['Version', '2'],
      ['Program', '/bin/x'],
      ['Found by', 'PATH'],
      ['Key', 'found, from the API key A'],
    ],
  );
  const missing = foundFacts({ ...probe, installed: false, credentials: 'missing' });
  expect(missing.filter(([, value]) => value)).toEqual([]);
});
