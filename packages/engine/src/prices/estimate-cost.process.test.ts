import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOptions } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_SHEBANG } from '../../../../scripts/node-shebang.ts';
import { builtInBaton } from '../../../agents/src/testing/built-in-baton.ts';

/** A stand-in for each agent prints what the agent prints: the tokens are documented counts, the model has a price. */
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'estimate-cost-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function program(text: string): string {
  const path = join(folder, `program-${++count}`);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/** A program that prints these lines and exits. */
function printing(...lines: object[]): string {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  return program(`#!/bin/sh\ncat <<'END'\n${text}\nEND\n`);
}

const codex = (usage: object) =>
  printing(
    { type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Hello.' } },
    { type: 'turn.completed', usage },
  );

const gemini = (models: Record<string, object>, total: object) =>
  printing(
    { type: 'init', session_id: 's', model: 'auto' },
    { type: 'message', role: 'assistant', content: 'Hello.', delta: true },
    { type: 'result', status: 'success', stats: { ...total, models } },
  );

const droid = (usage: object) =>
  printing(
    { type: 'system', subtype: 'init', session_id: 's', model: 'claude-opus-4-5-20251101' },
    { type: 'message', role: 'assistant', id: 'm', text: 'Hello.', session_id: 's' },
    { type: 'completion', finalText: 'Hello.', session_id: 's', usage },
  );

/** An agent of the Agent Client Protocol with one session. */
const acp = (modelId: string, usage: object) =>
  program(`${NODE_SHEBANG}const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] },
  'session/new': { sessionId: 's', models: { currentModelId: ${JSON.stringify(modelId)}, availableModels: [] } },
  'session/prompt': { stopReason: 'end_turn', usage: ${JSON.stringify(usage)} },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined && method) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }));
});
`);

async function usageOf(backend: string, binary: string, options: RunOptions = {}) {
  const loaded = await builtInBaton().loadBackend(backend, { binary });
  const run = loaded.run({
    prompt: 'Hi',
    cwd: folder,
    env: { CODEX_HOME: folder, HOME: folder },
    permissionMode: 'allow-all',
    ...options,
  });
  const { outcome, error, usage } = await run.collect();
  expect([outcome, error]).toEqual(['done', undefined]);
  return usage;
}

const print = { transport: 'print' };
const TOKENS = {
  input_tokens: 1_000_000,
  cached_input_tokens: 400_000,
  output_tokens: 100_000,
  total_tokens: 1_100_000,
};

describe.concurrent('an agent that reports tokens without a cost has an estimated one', () => {
  test('Codex, by the requested model', async () => {
    const usage = await usageOf('codex', codex(TOKENS), { ...print, model: 'gpt-5.5' });
    // 0.6 million at $5, 0.4 million cached at $0.50, 0.1 million at $30.
    expect(usage).toMatchObject({ costUsd: expect.closeTo(6.2), costEstimated: true });
  });

  test('Codex, by the prices of the caller', async () => {
    const prices = { inputPerMillion: 1, outputPerMillion: 1 };
    const options = { ...print, model: 'gpt-5.5', providerOptions: { prices } };
    const usage = await usageOf('codex', codex(TOKENS), options);
    expect(usage).toMatchObject({ costUsd: expect.closeTo(1.1), costEstimated: true });
  });

  test('Gemini CLI, by each model that it used, with its thoughts', async () => {
    const flash = { total_tokens: 1_100_000, input_tokens: 1_000_000, cached: 500_000 };
    const lite = { total_tokens: 1_000_000, input_tokens: 1_000_000, cached: 0 };
    const models = { 'gemini-2.5-flash': flash, 'gemini-2.5-flash-lite': lite };
    const total = { total_tokens: 2_100_000, input_tokens: 2_000_000, cached: 500_000 };
    const usage = await usageOf('gemini', gemini(models, total), print);
    // 0.5 million at $0.30, 0.5 million cached at $0.03, 0.1 million at $2.50, and 1 million at $0.10.
    expect(usage).toMatchObject({ costUsd: expect.closeTo(0.515), costEstimated: true });
  });

  test('Droid, whose input does not include the cache', async () => {
    const usage = await usageOf(
      'droid',
      droid({
        input_tokens: 200_000,
        output_tokens: 100_000,
        cache_read_input_tokens: 600_000,
        cache_creation_input_tokens: 200_000,
      }),
      print,
    );
    // 0.2 million at $5, 0.6 million cached at $0.50, 0.2 million written at $6.25, 0.1 million at $25.
    expect(usage).toMatchObject({ costUsd: expect.closeTo(5.05), costEstimated: true });
  });

  test('an agent of the Agent Client Protocol, which counts thoughts apart', async () => {
    const usage = await usageOf(
      'acp:kimi',
      acp('kimi-k3', {
        inputTokens: 500_000,
        cachedReadTokens: 500_000,
        outputTokens: 50_000,
        thoughtTokens: 50_000,
        totalTokens: 1_100_000,
      }),
    );
    // 0.5 million at $3, 0.5 million cached at $0.30, 0.1 million at $15.
    expect(usage).toMatchObject({ costUsd: expect.closeTo(3.15), costEstimated: true });
  });

  test.each<[string, () => Promise<object | undefined>]>([
    ['Codex', () => usageOf('codex', codex(TOKENS), print)],
    ['Gemini CLI', () => usageOf('gemini', gemini({ 'gemini-x': TOKENS }, TOKENS), print)],
    ['an agent of the protocol', () => usageOf('acp:kimi', acp('other', { inputTokens: 5 }))],
  ])('but not %s with an unknown model', async (_name, run) => {
    const usage = await run();
    expect(usage).not.toHaveProperty('costUsd');
    expect(usage).not.toHaveProperty('costEstimated');
  });
});

test('changed prices do not restart the agent of a conversation', async () => {
  const tokens = { inputTokens: 1_000_000, outputTokens: 0 };
  // It counts the tokens of each prompt; of others the second number may be a sum.
  const backend = await builtInBaton().loadBackend('acp:codex', {
    binary: acp('other', tokens),
    acceptsClaim: true,
  });
  const launched: string[] = [];
  const conversation = await backend.open({
    cwd: folder,
    permissionMode: 'allow-all',
    onLaunch: ({ file }) => launched.push(file),
  });
  const costs = [];
  for (const inputPerMillion of [1, 2]) {
    const prices = { inputPerMillion, outputPerMillion: 0 };
    const run = conversation.run('Hi', { providerOptions: { prices } });
    costs.push((await run.collect()).usage?.costUsd);
  }
  await conversation.close();
  expect([costs, launched.length]).toEqual([[1, 2], 1]);
});
