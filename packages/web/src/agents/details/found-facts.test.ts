import { expect, test } from 'vitest';
import { foundFacts } from './found-facts.ts';

const probe = { backend: 'x', problems: [], install: 'npm install x' };

test('what was found is told with the place of the key, and nothing of what is not installed', () => {
  const found = { ...probe, installed: true, version: '2', path: '/bin/x' };
  expect(foundFacts({ ...found, credentials: 'found', credentialSource: 'the API key A' })).toEqual(
    [
      ['Version', '2'],
      ['Program', '/bin/x'],
      ['Key', 'found, from the API key A'],
    ],
  );
  const missing = foundFacts({ ...probe, installed: false, credentials: 'missing' });
  expect(missing.filter(([, value]) => value)).toEqual([]);
});
