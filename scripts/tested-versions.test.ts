import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import { VERSION } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import type { TestbedAgent } from '../testbed/agents/agent.ts';
import { AGENT_NAMES, AGENTS, GATEWAY_NAMES } from '../testbed/agents.ts';

/** The testbed may hold agents whose backends are still to come. */
const registry = new Registry();
const TESTED = AGENT_NAMES.filter((agent) => registry.find(registry.canonicalName(agent)));

describe.each(TESTED)('%s', (agent) => {
  const { npmPackage, formerPackage = npmPackage }: TestbedAgent = AGENTS[agent];
  test('states the releases that its tests run on', () => {
    expect(registry.entry(agent).testedVersions).toEqual({
      oldest: pinned('testbed/oldest', formerPackage) ?? pinned('testbed', npmPackage),
      newest: pinned('testbed', npmPackage),
    });
  });
});

test.each(GATEWAY_NAMES)('%s states the release that its tests run on', (name) => {
  const release = pinned(`testbed/${name}`, name);
  expect(registry.entry(name).testedVersions).toEqual({ oldest: release, newest: release });
});

test('every backend that states tested releases has an agent in the testbed', () => {
  const stated = registry.entries().filter(({ testedVersions }) => testedVersions);
  const tested = [...TESTED, ...GATEWAY_NAMES].map((agent) => registry.entry(agent).id);
  expect(stated.map(({ id }) => id)).toEqual(tested);
});

test('all packages have the same version, and depend on it', () => {
  const root = join(import.meta.dirname, '..');
  const manifests = globSync(['package.json', 'packages/*/package.json'], { cwd: root });
  expect(manifests.length).toBeGreaterThan(10);
  const stated = manifests.flatMap((name) => {
    const { version, dependencies } = JSON.parse(readFileSync(join(root, name), 'utf8'));
    const own = Object.entries(dependencies ?? {}).filter(([each]) => each.startsWith('@baton/'));
    return [[name, version], ...own.map(([each, range]) => [`${name} ${each}`, range])];
  });
  expect(stated.filter(([, version]) => version !== VERSION)).toEqual([]);
});

function pinned(folder: string, name: string): unknown {
  const manifest = readFileSync(join(import.meta.dirname, '..', folder, 'package.json'), 'utf8');
  return JSON.parse(manifest).dependencies[name];
}
