import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChainEvent, foldChain } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentEnvironment, agentPrograms } from '../../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { CliWorld } from '../../testing/baton.ts';

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

async function world() {
  const cli = new CliWorld();
  const options = { retries: 0, sandbox: true };
  const env = {
    ...(await agentEnvironment('codex', model, cli.home, options)),
    ...(await agentEnvironment('claude', model, cli.home, options)),
    BATON_CLAUDE_BIN: agentPrograms.claude.native,
    BATON_CODEX_BIN: agentPrograms.codex.native,
  };
  const write = (file: object) => {
    writeFileSync(join(cli.cwd, 'chains.json'), JSON.stringify(file));
  };
  const run = async (...args: string[]) => {
    const call = { args: ['chain', ...args, '--json', '--cwd', cli.cwd], env };
    const { code, stdout, stderr } = await cli.call(call);
    const lines = stdout.split('\n').filter((line) => line !== '');
    const events = lines.map((line) => JSON.parse(line) as ChainEvent);
    return { code, stderr, state: foldChain(events) };
  };
  return { cwd: cli.cwd, write, run };
}

test('a chain of Claude and Codex: plan, write, review in a loop, report', async () => {
  const { cwd, write, run } = await world();
  // The tool by which Claude gives an answer that has a schema.
  const raw = { name: 'StructuredOutput', input: { title: 'greeting' } };
  model.script('plan', [{ tools: [{ raw }] }]);
  model.script('review-1', [{ text: 'One more thing to fix.' }]);
  model.script('review-2', [{ text: 'No objections. ORCHESTRA_COMPLETE' }]);
  model.script('report', [{ text: 'The work is done.' }]);
  const outputSchema = { type: 'object', properties: { title: { type: 'string' } } };
  write({
    agents: {
      // The default backend is Claude.
      planner: { outputSchema },
      writer: { permissionMode: 'allow-all' },
      reviewer: { backend: 'codex-cli' },
    },
    chains: {
      ship: {
        steps: [
          { id: 'plan', agent: 'planner', prompt: '[[plan]] go' },
          { id: 'write', agent: 'writer', prompt: '[[write]] {{steps.plan.structured.title}}' },
          {
            ...{ id: 'review', agent: 'reviewer', iterations: 3 },
            prompt: '[[review-{{iteration}}]] {{steps.write.outcome}}',
          },
          { id: 'report', agent: 'reviewer', prompt: '[[report]] {{steps.review.output}}' },
        ],
      },
    },
  });
  const { code, stderr, state } = await run('run', 'ship', '--trust');
  expect([code, stderr, state.error]).toEqual([0, '', undefined]);
  const steps = [...state.steps.values()].map(({ step, status, backend }) => {
    return [step, status, backend];
  });
  expect(steps).toEqual([
    ['plan', 'done', 'claude-cli'],
    ['write', 'done', 'claude-cli'],
    ['review', 'done', undefined],
    ['review#1', 'done', 'codex-cli'],
    ['review#2', 'done', 'codex-cli'],
    ['report', 'done', 'codex-cli'],
  ]);
  expect(state.steps.get('plan')?.structured).toEqual({ title: 'greeting' });
  expect(state.steps.get('report')?.output).toBe('The work is done.');
  expect(existsSync(join(cwd, 'hello.txt'))).toBe(true);
  expect(state.usage?.totalTokens).toBeGreaterThan(0);
});

test('a backend that is not installed is reported before the first step', async () => {
  const { write, run } = await world();
  write({
    agents: { one: {}, two: { backend: 'gemini-cli', prompt: 'Hi.' } },
    chains: { both: { prompt: '[[plain]] go', steps: [{ agent: 'one' }, { agent: 'two' }] } },
  });
  const { code, stderr, state } = await run('run', 'both');
  expect([code, state.steps.size]).toEqual([1, 0]);
  expect(stderr).toMatch(/Step "two": gemini/);
});
