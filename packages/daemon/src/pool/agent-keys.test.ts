import { randomBytes } from 'node:crypto';
import { Registry } from '@baton/agents/registry/registry';
import { openStore, type Store } from '@baton/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SealedBox } from '../security/sealed-box.ts';
import { agentKeys } from './agent-keys.ts';
import { executorEnvironment, keyVariables } from './executor-environment.ts';

const box = new SealedBox(randomBytes(32));
const variables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];
let store: Store;

beforeEach(async () => {
  store = await openStore({ url: ':memory:' });
});
afterEach(() => store.close());

async function keep(userId: string | null, name: string, value: string): Promise<void> {
  const key_id = `${userId} ${name}`;
  const sealed = box.seal(value, key_id);
  await store.records.apiKeys.insert({ key_id, user_id: userId, name, sealed, created_at: 0 });
}

describe('the stored keys of a task', () => {
  test('are those of its user before those that everybody shares', async () => {
    await keep('ada', 'ANTHROPIC_API_KEY', 'of ada');
    await keep(null, 'ANTHROPIC_API_KEY', 'of all');
    await keep(null, 'ANTHROPIC_AUTH_TOKEN', 'token of all');
    expect(await agentKeys(store, box, { userId: 'ada', variables })).toEqual({
      ANTHROPIC_API_KEY: 'of ada',
    });
    expect(await agentKeys(store, box, { userId: 'bob', variables })).toEqual({
      ANTHROPIC_API_KEY: 'of all',
      ANTHROPIC_AUTH_TOKEN: 'token of all',
    });
  });

  test('are never those of another user or another provider', async () => {
    await keep('ada', 'ANTHROPIC_API_KEY', 'of ada');
    await keep(null, 'OPENAI_API_KEY', 'of all');
    expect(await agentKeys(store, box, { userId: 'bob', variables })).toEqual({});
    expect(await agentKeys(store, box, { userId: null, variables })).toEqual({});
  });
});

describe('the environment of an executor', () => {
  const registry = new Registry();
  const env = {
    PATH: '/bin',
    ANTHROPIC_API_KEY: 'a',
    ANTHROPIC_AUTH_TOKEN: 'b',
    OPENAI_API_KEY: 'c',
    CODEX_API_KEY: 'd',
    GEMINI_API_KEY: 'e',
    OTHER_API_KEY: 'f',
    BATON_MASTER_KEY: 'g',
    BATON_TOKEN: 'h',
    DATABASE_URL: 'i',
  };
  const environmentOf = async (backend: string, keys = {}) =>
    executorEnvironment(registry, env, {
      variables: await keyVariables(registry, backend, env),
      keys,
    });

  test('has only the keys of its own provider', async () => {
    expect(await environmentOf('claude')).toEqual({
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_AUTH_TOKEN: 'b',
    });
    expect(await environmentOf('codex')).toEqual({
      PATH: '/bin',
      OPENAI_API_KEY: 'c',
      CODEX_API_KEY: 'd',
    });
    expect(await environmentOf('demo')).toEqual({ PATH: '/bin' });
  });

  test('has no other secret of a provider, whatever it is called', async () => {
    const foreign = {
      ...{ OPENAI_ADMIN_KEY: '1', CLAUDE_CODE_OAUTH_REFRESH_TOKEN: '2', CODEX_ACCESS_TOKEN: '3' },
      ...{ COPILOT_GITHUB_TOKEN: '4', AUGMENT_SESSION_AUTH: '5', ANTHROPIC_ADMIN_KEY: '6' },
    };
    const left = await executorEnvironment(
      registry,
      { PATH: '/bin', GITHUB_TOKEN: 'g', ...foreign },
      { variables: [], keys: {} },
    );
    expect(Object.keys(left)).toEqual(['PATH', 'GITHUB_TOKEN']);
  });

  test.each(['claude', 'codex', 'pi', 'opencode', 'gemini', 'droid'])(
    'of an isolated %s has no secret that merely begins like one of its variables',
    async (backend) => {
      const names = [
        ...['ANTHROPIC_ADMIN_KEY', 'OPENAI_ADMIN_KEY', 'AZURE_CLIENT_SECRET', 'GOOGLE_SECRET'],
        ...['BATON_TOKEN_FILE', 'BATON_ANY_SECRET', 'FACTORY_PASSWORD', 'GEMINI_CREDENTIALS_FILE'],
        ...['ANTHROPIC_API_KEY_2', 'OPENAI_API_KEY_OLD'],
      ];
      const daemon = { PATH: '/bin', ...Object.fromEntries(names.map((name) => [name, 'x'])) };
      const variables = await keyVariables(registry, backend, daemon);
      const left = await executorEnvironment(
        registry,
        daemon,
        { variables, keys: {} },
        { onlyPassed: [] },
      );
      expect(Object.keys(left)).toEqual(['PATH']);
    },
  );

  test('of an isolated agent has only what it needs, and what the owner names', async () => {
    const daemon = {
      ...env,
      ...{ HOME: '/h', LC_ALL: 'C', https_proxy: 'p', BATON_DEMO_PACE: '0', NODE_OPTIONS: '' },
      ...{ GITHUB_TOKEN: '1', AWS_SECRET_ACCESS_KEY: '2', AWS_REGION: '3', PGPASSFILE: '4' },
      ...{ NPM_TOKEN: '5', SSH_AUTH_SOCK: '6', XDG_RUNTIME_DIR: '7', ANTHROPIC_BASE_URL: '8' },
      ...{ BATON_GATEWAY_WEBHOOK_SECRET: '9', BATON_DISCORD_TOKEN: '10' },
    };
    const usual = ['PATH', 'HOME', 'LC_ALL', 'https_proxy', 'BATON_DEMO_PACE', 'NODE_OPTIONS'];
    const namesFor = async (backend: string, onlyPassed: string[]) => {
      const variables = await keyVariables(registry, backend, daemon);
      const given = await executorEnvironment(
        registry,
        daemon,
        { variables, keys: {} },
        { onlyPassed },
      );
      return Object.keys(given).toSorted();
    };
    expect(await namesFor('demo', [])).toEqual(usual.toSorted());
    const claude = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'];
    expect(await namesFor('claude', [])).toEqual([...usual, ...claude].toSorted());
    const named = ['AWS_REGION', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN'];
    expect(await namesFor('demo', ['AWS_*', 'GITHUB_TOKEN', 'BATON_TOKEN'])).toEqual(
      [...usual, ...named].toSorted(),
    );
  });

  test("prefers stored keys to those in the daemon's environment", async () => {
    expect(await environmentOf('claude', { ANTHROPIC_API_KEY: 'kept' })).toEqual({
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'kept',
    });
  });
});
