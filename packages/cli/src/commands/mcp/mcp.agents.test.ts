import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentName, agentEnvironment, agentPrograms } from '../../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { CliWorld } from '../../testing/baton.ts';

const ECHO = fileURLToPath(new URL('../../../../../testbed/mcp-echo.mjs', import.meta.url));
const AGENTS: readonly AgentName[] = ['claude', 'codex', 'gemini', 'opencode', 'droid'];

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
  model.script('mcp', [
    { tools: [{ mcp: { server: 'echo', tool: 'say', input: { text: 'hi' } } }] },
  ]);
}, 300_000);
afterAll(() => model.close());

test.each(AGENTS)('%s lists a server that baton added, and calls its tool', async (agent) => {
  const world = new CliWorld();
  const program = agentPrograms[agent].native;
  const env = {
    ...(await agentEnvironment(agent, model, world.home, { retries: 0, sandbox: true })),
    [`BATON_${agent.toUpperCase()}_BIN`]: program,
  };
  const added = await world.call({
    args: ['mcp', 'add', 'echo', '-b', agent, '--', process.execPath, ECHO],
    env,
  });
  expect(added).toMatchObject({ code: 0, stderr: '' });

  const node = program.endsWith('.js') ? [process.execPath] : [];
  const [file = '', ...args] = [...node, program, 'mcp', 'list'];
  const listing = world.spawn(file, args, env);
  listing.stdin.end();
  const printed = Promise.all([text(listing.stdout), text(listing.stderr)]);
  await once(listing, 'close');
  expect((await printed).join('\n')).toMatch(/\becho\b/);

  const run = ['run', '-b', agent, '-p', 'allow-all', '--json', '[[mcp]] go'];
  const { code, stdout } = await world.call({ args: run, env });
  expect([code, stdout.includes('echo: hi')]).toEqual([0, true]);

  expect((await world.call({ args: ['mcp', 'remove', 'echo', '-b', agent], env })).code).toBe(0);
});
