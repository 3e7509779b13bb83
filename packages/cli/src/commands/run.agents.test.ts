import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentName, agentEnvironment, agentPrograms } from '../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../testbed/install.mjs';
import { CliWorld } from '../testing/baton.ts';

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

/** Asks a real agent to write a file, with nobody there to allow it. */
async function write(agent: AgentName, transport: string, mode: string) {
  const world = new CliWorld();
  const env = {
    ...(await agentEnvironment(agent, model, world.home, { retries: 0, sandbox: true })),
    BATON_CLAUDE_BIN: agentPrograms.claude.native,
    BATON_CODEX_BIN: agentPrograms.codex.native,
  };
  const args = ['run', '-b', agent, '--transport', transport, '-p', mode, '[[write]] go'];
  const { code } = await world.call({ args, env });
  return { code, written: existsSync(join(world.cwd, 'hello.txt')) };
}

test.each([
  ['claude', 'live'],
  ['claude', 'print'],
  ['codex', 'live'],
  ['codex', 'print'],
] as const)(
  'with nobody to ask, %s through %s, a denied tool is exit code 5',
  async (agent, way) => {
    expect(await write(agent, way, 'ask')).toEqual({ code: 5, written: false });
  },
);

test('exits with 0 after an allowed tool', async () => {
  expect(await write('claude', 'print', 'allow-all')).toEqual({ code: 0, written: true });
});

test('the plain transport of Claude works without a permission mode', async () => {
  const world = new CliWorld();
  const env = {
    ...(await agentEnvironment('claude', model, world.home, { retries: 0 })),
    BATON_CLAUDE_BIN: agentPrograms.claude.native,
  };
  const args = ['run', '-b', 'claude', '--transport', 'plain', '[[plain]] go'];
  expect(await world.call({ args, env })).toMatchObject({
    code: 0,
    stdout: 'Hello! This is a plain answer.',
  });
});

test('four runs of Codex at once in a home where it never ran all succeed', async () => {
  const world = new CliWorld();
  const env = {
    ...(await agentEnvironment('codex', model, world.home, { retries: 0 })),
    BATON_CODEX_BIN: agentPrograms.codex.native,
  };
  const args = ['run', '-b', 'codex', '-p', 'allow-all', 'Say hello.'];
  const runs = [1, 2, 3, 4].map(() => {
    const child = world.start({ args, env });
    child.stdin.end();
    return once(child, 'close');
  });
  expect((await Promise.all(runs)).map(([code]) => code)).toEqual([0, 0, 0, 0]);
});
