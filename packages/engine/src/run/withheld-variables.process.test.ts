import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '@baton/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { builtInBaton } from '../../../agents/src/testing/built-in-baton.ts';
import { secretVariables, withoutForeignKeys } from './withheld-variables.ts';

const baton = builtInBaton();
const KEYS = {
  ANTHROPIC_API_KEY: 'a',
  CLAUDE_CODE_OAUTH_TOKEN: 'b',
  OPENAI_API_KEY: 'c',
  GEMINI_API_KEY: 'd',
  GOOGLE_APPLICATION_CREDENTIALS: 'e',
  CURSOR_AUTH_TOKEN: 'f',
  OPENCLAW_GATEWAY_TOKEN: 'g',
  OPENROUTER_API_KEY: 'h',
};
const OF_BATON = {
  BATON_TOKEN: '1',
  BATON_MASTER_KEY: '2',
  BATON_GATEWAY_WEBHOOK_SECRET: '3',
  BATON_DISCORD_TOKEN: '4',
};
const OTHERS = { PATH: '/bin', GITHUB_TOKEN: 'x', STRIPE_API_KEY: 'y', BATON_MODEL: 'z' };

async function visible(backend: string, givenVariables: string[] = []) {
  const env = { ...KEYS, ...OF_BATON, ...OTHERS };
  const trust = { folder: '/', trusted: false, settings: [] };
  const options = { cwd: '/', env, givenVariables, permissionMode: 'ask' as const, trust };
  const left = await withoutForeignKeys(backend, baton.backends(), {
    ...options,
    protectedPaths: [],
  });
  return Object.keys(left.env).filter((name) => !(name in OTHERS));
}

describe('an agent inherits', () => {
  test.each([
    ['claude-cli', ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN']],
    ['codex-cli', ['OPENAI_API_KEY']],
    ['gemini-cli', ['GEMINI_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS']],
    ['cursor-cli', ['CURSOR_AUTH_TOKEN']],
    ['openclaw', ['OPENCLAW_GATEWAY_TOKEN']],
    ['demo', []],
  ])('as %s only the keys of its own provider', async (backend, keys) => {
    expect(await visible(backend)).toEqual(keys);
  });

  test('no secret of Baton, whichever it is', async () => {
    const ids = [...baton.backends().map(({ id }) => id), 'acp:goose', 'unknown'];
    for (const id of ids) {
      const left = await visible(id);
      expect(left.filter((name) => name in OF_BATON)).toEqual([]);
    }
  });

  const FURTHER = [
    ...['CLAUDE_CODE_OAUTH_REFRESH_TOKEN', 'ANTHROPIC_FOUNDRY_API_KEY', 'OPENAI_ADMIN_KEY'],
    ...['CODEX_ACCESS_TOKEN', 'DASHSCOPE_API_KEY', 'COPILOT_GITHUB_TOKEN', 'AUGMENT_SESSION_AUTH'],
    ...['OPENAI_API_KEY_2', 'GEMINI_API_KEY_OLD', 'ANTHROPIC_CUSTOM_HEADERS', 'KIRO_API_KEY'],
    ...['BATON_PASSWORD', 'BATON_TOKEN_FILE', 'BATON_ANY_SECRET'],
    ...['GOOGLE_MAPS_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK', 'OPENAI_BASE_URL', 'HF_TOKEN'],
  ];
  const ORDINARY = FURTHER.slice(-4);

  test.each([
    ['demo', ORDINARY],
    ['claude-cli', [...FURTHER.slice(0, 2), 'ANTHROPIC_CUSTOM_HEADERS', ...ORDINARY]],
    ['codex-cli', [...FURTHER.slice(2, 4), 'OPENAI_API_KEY_2', ...ORDINARY]],
    ['gemini-cli', ['GEMINI_API_KEY_OLD', ...ORDINARY]],
    ['pi', ['ANTHROPIC_FOUNDRY_API_KEY', 'OPENAI_ADMIN_KEY', ...FURTHER.slice(4, 11), ...ORDINARY]],
  ])('as %s no secret of another vendor that is in no list', async (backend, names) => {
    const env = Object.fromEntries(FURTHER.map((name) => [name, 'x']));
    const left = await withoutForeignKeys(backend, baton.backends(), { env, givenVariables: [] });
    expect(Object.keys(left.env)).toEqual(names);
  });

  test('all keys if it does not tell which ones are its own', async () => {
    expect(await visible('acp:goose')).toEqual(Object.keys(KEYS));
  });

  test('what its caller passed, whatever it is', async () => {
    expect(await visible('demo', ['OPENAI_API_KEY', 'BATON_TOKEN'])).toEqual([
      'OPENAI_API_KEY',
      'BATON_TOKEN',
    ]);
  });
});

test('the process of an agent does not have the keys of other providers', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'withheld-')));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries({ ...KEYS, ...OF_BATON })) {
    vi.stubEnv(name, `${value}-secret`);
  }
  vi.stubEnv('GITHUB_TOKEN', 'stays');
  const backend = await baton.loadBackend('demo');
  const prompt = `demo:script ${JSON.stringify([{ shell: 'env' }])}`;
  const env = { OPENAI_API_KEY: 'given' };
  const options = { cwd, env, permissionMode: 'allow-all' as const, providerOptions: { pace: 0 } };
  const events: AgentEvent[] = [];
  for await (const event of backend.run({ ...options, prompt })) events.push(event);
  const printed = JSON.stringify(events);
  expect(printed).toContain('GITHUB_TOKEN=stays');
  expect(printed).toContain('OPENAI_API_KEY=given');
  expect(printed).not.toContain('-secret');
});

test('a program that Baton starts for itself has no secret of any agent or of Baton', async () => {
  const secrets = await secretVariables(baton.backends(), { ...KEYS, ...OF_BATON, ...OTHERS });
  for (const name of [...Object.keys(KEYS), ...Object.keys(OF_BATON)])
    expect(secrets).toContain(name);
  for (const name of Object.keys(OTHERS)) expect(secrets).not.toContain(name);
});

test('an agent that is asked for its models has the keys of its own provider only', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'catalog-')));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const binary = join(cwd, 'claude');
  writeFileSync(binary, `#!/bin/sh\nenv > "${join(cwd, 'seen')}"\n`, { mode: 0o755 });
  const backend = await baton.loadBackend('claude-cli', { binary });
  const { PATH, HOME } = process.env;
  await backend.queryCatalog?.({ PATH, HOME, ...KEYS, ...OF_BATON });
  const seen = readFileSync(join(cwd, 'seen'), 'utf8')
    .split('\n')
    .map((line) => line.split('=')[0] ?? '');
  const secrets = seen.filter((name) => name in KEYS || name in OF_BATON);
  expect(secrets.toSorted()).toEqual(['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN']);
});
