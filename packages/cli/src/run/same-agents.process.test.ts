import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { keepDemoWorlds, program } from '../../../agents/src/testing/demo-world.ts';
import { CliWorld } from '../testing/baton.ts';

keepDemoWorlds();

const LIBRARY = pathToFileURL(join(import.meta.dirname, '../../../runtime/src/index.ts')).href;

/** A home whose configuration has agents of every kind. */
function configured(): CliWorld {
  const world = new CliWorld();
  const path = program(world.home, 'echo "I am a stoat."');
  const config = {
    agents: { stoat: { command: [path], dialect: 'plain' } },
    acpAgents: { marten: '/nowhere/marten --acp', mink: '/nowhere/mink --acp' },
    binaries: { claude: path },
    claimedPermissions: ['acp:marten'],
  };
  writeFileSync(join(world.home, '.baton/config.json'), JSON.stringify(config));
  return world;
}

/** Runs a program that uses the library, in the same home as the command; returns what it prints as JSON. */
async function library(world: CliWorld, code: string): Promise<unknown> {
  const source = `import * as baton from '${LIBRARY}';\nconsole.log(JSON.stringify(await (${code})()));`;
  const child = world.spawn(process.execPath, ['--input-type=module', '-e', source]);
  const { stdout, stderr } = await world.finish(child);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('the library finds the agents and programs that the command finds', async () => {
  const world = configured();
  const { stdout } = await world.call({ args: ['backends', '--json'] });
  const facts = ({ id, probe }: { id: string; probe: Record<string, unknown> }) => ({
    id,
    ...{ installed: probe.installed, path: probe.path, foundBy: probe.foundBy },
  });
  const byCommand = JSON.parse(stdout).map(facts);
  expect(byCommand).toContainEqual(
    expect.objectContaining({ id: 'claude-cli', installed: true, foundBy: 'binaries' }),
  );
  const found = await library(
    world,
    `async () => {
      const all = await baton.createBaton();
      const probed = async ({ id }) => ({ id, probe: await (await all.loadBackend(id)).probe() });
      return Promise.all(all.backends().map(probed));
    }`,
  );
  expect((found as Parameters<typeof facts>[0][]).map(facts)).toEqual(byCommand);
});

test('launch runs an agent of the configuration, as the command does', async () => {
  const world = configured();
  const args = ['run', '--backend', 'stoat', '--permission-mode', 'allow-all', 'Hi'];
  expect((await world.call({ args })).stdout.trim()).toBe('I am a stoat.');
  const request = `{ backend: 'stoat', prompt: 'Hi', permissionMode: 'allow-all' }`;
  const run = `async () => (await baton.launch(${request})).collect()`;
  expect(await library(world, run)).toMatchObject({ outcome: 'done', output: 'I am a stoat.' });
});

test.each([
  ['acp:marten', 'backend_not_found'],
  ['acp:mink', 'capability_missing'],
])('the library and the command treat the claim of %s alike', async (backend, code) => {
  const world = configured();
  const { stderr } = await world.call({ args: ['run', '--backend', backend, 'Hi'] });
  expect(stderr).toContain(code);
  const run = `async () => {
    try {
      return (await (await baton.launch({ backend: '${backend}', prompt: 'Hi' })).collect()).error.code;
    } catch (error) {
      return error.code;
    }
  }`;
  expect(await library(world, run)).toBe(code);
});

test('launch finds what registerBackend added, and no other Baton does', async () => {
  const world = configured();
  const found = await library(
    world,
    `async () => {
      const other = await baton.createBaton();
      const demo = other.backend('demo');
      baton.registerBackend({ ...demo, id: 'mine', aliases: [] });
      const { label } = await baton.loadBackend('mine');
      const error = await other.loadBackend('mine').catch(({ code }) => code);
      return [label, error];
    }`,
  );
  expect(found).toEqual(['Demo agent', 'backend_unknown']);
});
