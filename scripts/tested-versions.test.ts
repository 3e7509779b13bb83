import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backendEntries, backendEntry } from '@baton/runtime';
import { describe, expect, test } from 'vitest';
import { agentPackages } from '../testbed/agents.ts';

describe.each(Object.entries(agentPackages))('%s', (agent, name) => {
  test('states the releases that its tests run on', () => {
    expect(backendEntry(agent).testedVersions).toEqual({
      oldest: pinned('testbed/oldest', name),
      newest: pinned('testbed', name),
    });
  });
});

test('every backend that states tested releases has an agent in the testbed', () => {
  const stated = backendEntries().filter(({ testedVersions }) => testedVersions);
  const tested = Object.keys(agentPackages).map((agent) => backendEntry(agent).id);
  expect(stated.map(({ id }) => id)).toEqual(tested);
});

function pinned(folder: string, name: string): unknown {
  const manifest = readFileSync(join(import.meta.dirname, '..', folder, 'package.json'), 'utf8');
  return JSON.parse(manifest).dependencies[name];
}
