import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { all, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { agentWorld } from '../../testing/agent-world.ts';
import { geminiBackend } from '../../testing/built-in-backends.ts';
import { scripted } from '../../testing/model-script.ts';

const ECHO_SERVER = fileURLToPath(new URL('../../../../../testbed/mcp-echo.mjs', import.meta.url));

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

// Gemini CLI deletes a session that has a second, empty file, also when the user starts it without Baton.
test.each(['live', 'print'] as const)(
  'a session resumed through %s has one file',
  { timeout: 60_000 },
  async (transport) => {
    const { cwd, home, options, later, dispose } = await agentWorld('gemini', model);
    const run = (minutes: number, resume?: string) => {
      const prompt = scripted(model, [{ text: 'Yes.' }]);
      const env = { ...options.env, ...later?.(minutes) };
      const backend = geminiBackend({ binary: agentPrograms.gemini.native });
      return backend.run({ cwd, prompt, transport, resume, env }).collect();
    };
    const { nativeSessionId: resume = '' } = await run(0);
    expect(await run(3, resume)).toMatchObject({ outcome: 'done', nativeSessionId: resume });
    const chats = join(home, '.gemini/tmp/*/chats');
    expect(globSync(join(chats, `*${resume.slice(0, 8)}*`))).toHaveLength(1);
    await dispose();
  },
);

test('counts cached input and thoughts as the model reports them', {
  timeout: 60_000,
}, async () => {
  const { cwd, options, dispose } = await agentWorld('gemini', model);
  const usage = { input: 1000, cached: 100, output: 50, reasoning: 7 };
  const conversation = await geminiBackend({ binary: agentPrograms.gemini.native }).open({
    cwd,
    ...options,
  });
  for (const text of ['One.', 'Two.']) {
    const result = await conversation.run(scripted(model, [{ text, usage }])).collect();
    expect(result.usage).toMatchObject({
      inputTokens: 1000,
      cachedInputTokens: 100,
      outputTokens: 50,
      reasoningTokens: 7,
      totalTokens: 1050,
    });
  }
  await conversation.close();
  await dispose();
});

test.each(['live', 'print'] as const)(
  'counts what sub-agents consume through %s, once each',
  { timeout: 60_000 },
  async (transport) => {
    const { cwd, options, dispose } = await agentWorld('gemini', model);
    const usage = { input: 1000, cached: 100, output: 50, reasoning: 7 };
    const backend = geminiBackend({ binary: agentPrograms.gemini.native });
    let resume: string | undefined;
    for (const name of ['one', 'two']) {
      // Gemini asks a sub-agent that ends without a report once more.
      const said = Array.from({ length: 4 }, () => ({ text: 'Done.', usage }));
      const sub = scripted(model, [{ tools: [{ shell: `touch ${name}` }], usage }, ...said]);
      const prompt = scripted(model, [
        { tools: [{ subagent: { prompt: sub } }], usage },
        { text: 'Done.', usage },
      ]);
      const before = model.requests.length;
      const request = { cwd, ...options, prompt, transport, resume, trusted: true };
      const result = await backend.run({ ...request, permissionMode: 'allow-all' }).collect();
      expect(result.outcome).toBe('done');
      const asked = model.requests.slice(before).filter(({ step }) => step !== undefined).length;
      expect(asked).toBeGreaterThan(3);
      expect(result.usage).toMatchObject({
        inputTokens: 1000 * asked,
        cachedInputTokens: 100 * asked,
        outputTokens: 50 * asked,
        totalTokens: 1050 * asked,
      });
      resume = result.nativeSessionId;
    }
    await dispose();
  },
);

// Gemini CLI ends such a turn through ACP like any other.
test.each([
  ['the only one', []],
  ['one after tools', [{ tools: [{ shell: 'touch a' }] }]],
])('a reply that is cut off, %s, fails the run', { timeout: 60_000 }, async (_name, before) => {
  const { cwd, options, dispose } = await agentWorld('gemini', model);
  const backend = geminiBackend({ binary: agentPrograms.gemini.native });
  const request = { cwd, ...options, trusted: true, permissionMode: 'allow-all' as const };
  const cut = scripted(model, [...before, { drop: 'mid-stream' }]);
  const conversation = await backend.open(request);
  expect(await conversation.run(cut).collect()).toMatchObject({
    outcome: 'failed',
    error: { code: 'provider_error', retryable: true },
  });
  const next = await conversation.run(scripted(model, [{ text: 'Yes.' }])).collect();
  expect(next).toMatchObject({ outcome: 'done', output: 'Yes.' });
  const command = await conversation.run('/memory show').collect();
  expect(command.outcome).toBe('done');
  await conversation.close();
  await dispose();
});

test('a call of an MCP tool names its server, also in its request', {
  timeout: 60_000,
}, async () => {
  const { cwd, options, dispose } = await agentWorld('gemini', model);
  const echo = { command: process.execPath, args: [ECHO_SERVER] };
  const say = { mcp: { server: 'echo', tool: 'say', input: { text: 'Hello MCP.' } } };
  const { events, result } = await finish(
    geminiBackend({ binary: agentPrograms.gemini.native }).run({
      cwd,
      ...options,
      prompt: scripted(model, [{ tools: [say] }, { text: 'Done.' }]),
      permissionMode: 'ask',
      mcpConfig: { mcpServers: { echo } },
      onRequest: () => ({ decision: 'allow' }),
    }),
  );
  expect(result.outcome).toBe('done');
  const action = { type: 'mcp', server: 'echo', tool: 'say' };
  expect(all(events, 'permission.requested')).toMatchObject([{ action }]);
  expect(all(events, 'tool.completed')).toMatchObject([{ action, outcome: 'ok' }]);
  await dispose();
});
