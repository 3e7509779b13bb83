import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentName, agentEnvironment, agentPrograms } from '../../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { CliWorld } from '../../testing/baton.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../../examples/agents');
const CLAUDE_AND_CODEX = ['claude', 'codex'] as const;

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

/** Compiles an example and runs it in a repository with a change, on a real agent. */
async function run(example: string, agent: AgentName, ...args: string[]) {
  const world = new CliWorld();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: world.cwd });
  git('init', '--quiet');
  writeFileSync(join(world.cwd, 'sum.js'), 'export const sum = (a, b) => a + b;\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'Add sum');
  writeFileSync(join(world.cwd, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
  const compiled = join(world.home, example);
  const compile = ['compile', join(EXAMPLES, `${example}.ts`), '-o', compiled];
  expect(await world.call({ args: compile })).toMatchObject({ code: 0, stderr: '' });
  const env = {
    ...(await agentEnvironment(agent, model, world.home, { retries: 0, sandbox: true })),
    BATON_CLAUDE_BIN: agentPrograms.claude.native,
    BATON_CODEX_BIN: agentPrograms.codex.native,
    BATON_CODEX_SDK: agentPrograms['codex-sdk'].native,
    BATON_PI_LIBRARY: agentPrograms.pi.native,
    FORGE_BACKEND: agent,
  };
  const before = model.requests.length;
  const child = world.spawn(process.execPath, [compiled, ...args], env);
  child.stdin.end();
  const { code, stdout, stderr } = await world.finish(child);
  const sent = model.requests.slice(before).map(({ body }) => JSON.stringify(body));
  return { world, code, stdout, stderr, sent: sent.join('\n') };
}

describe.each(CLAUDE_AND_CODEX)('on the real %s', (agent) => {
  test('code-review runs git diff without asking, and changes nothing', async () => {
    model.script('review', [
      { tools: [{ shell: 'git diff HEAD' }] },
      { text: 'sum.js:1: sum subtracts.' },
    ]);
    const { world, code, stdout, stderr, sent } = await run('code-review', agent, '[[review]] go');
    expect([code, stdout], stderr).toEqual([0, 'sum.js:1: sum subtracts.']);
    expect(sent).toContain('You are a code reviewer.');
    expect(sent).toContain('+export const sum = (a, b) => a - b;');
    expect(readFileSync(join(world.cwd, 'sum.js'), 'utf8')).toContain('a - b');
  });

  test('changelog-writer runs git log without asking, and prints the entries', async () => {
    model.script('log', [{ tools: [{ shell: 'git log --oneline' }] }, { text: '- `sum` adds.' }]);
    const { code, stdout, stderr, sent } = await run('changelog-writer', agent, '[[log]] go');
    expect([code, stdout], stderr).toEqual([0, '- `sum` adds.']);
    expect(sent).toContain('Add sum');
  });

  test('test-fixer edits files in the folder without asking', async () => {
    model.script('fix', [
      { tools: [{ write: { path: 'fixed.txt', content: 'fixed\n' } }] },
      { text: 'Fixed.' },
    ]);
    const { world, code, stdout, stderr } = await run('test-fixer', agent, '[[fix]] go');
    expect([code, stdout], stderr).toEqual([0, 'Fixed.']);
    expect(existsSync(join(world.cwd, 'fixed.txt'))).toBe(true);
  });
});

test.each([
  ['pi', ['--model', 'fake/fake-model']],
  ['codex-sdk', []],
] as const)('the host of the library of %s starts from the same file', async (agent, flags) => {
  const { code, stdout, stderr } = await run(
    'code-review',
    agent,
    ...flags,
    '--verbose',
    '[[plain]]',
  );
  expect([code, stdout], stderr).toEqual([0, 'Hello! This is a plain answer.']);
  expect(stderr).toMatch(/code-review --baton-child \S+-host/);
});

test('code-review cannot write on the real claude, and the exit code says so', async () => {
  model.script('write-anyway', [
    { tools: [{ write: { path: 'new.txt', content: 'x' } }] },
    { text: 'Denied.' },
  ]);
  const { world, code, stderr } = await run('code-review', 'claude', '[[write-anyway]] go');
  expect(code, stderr).toBe(5);
  expect(stderr).toContain('--dangerously-skip-permissions');
  expect(existsSync(join(world.cwd, 'new.txt'))).toBe(false);
});
