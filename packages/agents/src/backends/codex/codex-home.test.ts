import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  codexHomeProblems,
  codexTrusts,
  earlierTokens,
  isFolderInConfig,
  trustSetting,
} from './codex-home.ts';
import { apiKey, codexCredentials, codexKeyVariables } from './credentials.ts';

let home: string;
let env: Record<string, string>;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'codex-files-')));
  env = { CODEX_HOME: home };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const config = (text: string) => writeFileSync(join(home, 'config.toml'), text);

describe('what a thread consumed before', () => {
  // 2026-11-15T12:00:00Z
  const ID = `${Date.UTC(2026, 10, 15, 12)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;
  const count = (input: number) =>
    JSON.stringify({
      type: 'event_msg',
      payload: { type: 'token_count', info: { total_token_usage: { input_tokens: input } } },
    });
  const rollout = (day: string, lines: string[]) => {
    const folder = join(home, 'sessions/2026/11', day);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `rollout-2026-11-${day}T12-00-00-${ID}.jsonl`), lines.join('\n'));
  };

  test.each(['14', '15', '16'])('is the last count in its file, also when the day is %s', (day) => {
    rollout(day, [count(100), count(200), '{"type":"other"}', '']);
    expect(earlierTokens(ID, env)).toMatchObject({ input: 200 });
  });

  test('is found behind long lines', () => {
    rollout('15', [count(100), JSON.stringify({ text: 'x'.repeat(300_000) }), '"token_count"']);
    expect(earlierTokens(ID, env)).toMatchObject({ input: 100 });
  });

  test('is nothing for a thread that no model has answered', () => {
    rollout('15', ['{"type":"session_meta"}']);
    expect(earlierTokens(ID, env)).toMatchObject({ input: 0 });
  });

  test.each([ID, 'a name', ''])('is unknown when there is no file of %s', (id) => {
    expect(earlierTokens(id, env)).toBeUndefined();
  });
});

describe('trust', () => {
  const around = (cwd: string) => ({ cwd, env, home });

  test('is set for one run, under every name of the folder', () => {
    expect(trustSetting(home, false)).toBe(`projects={"${home}" = {"trust_level" = "untrusted"}}`);
    expect(trustSetting(home, true)).toContain('"trust_level" = "trusted"');
    symlinkSync(home, `${home}-link`);
    expect(trustSetting(`${home}-link`, false)).toContain(`"${home}" = {`);
    rmSync(`${home}-link`);
  });

  test('is what the user has decided, for the folder or its repository', () => {
    const deep = join(home, 'deep/er');
    mkdirSync(deep, { recursive: true });
    expect(isFolderInConfig(home, env)).toBe(false);
    expect(codexTrusts(around(home))).toBeUndefined();
    config(`[projects."${home}"]\ntrust_level = "untrusted"\n`);
    expect(isFolderInConfig(deep, env)).toBe(true);
    expect(codexTrusts(around(deep))).toBe(false);
    config(`[projects."${home}"]\ntrust_level = "trusted"\n\n[other]\nx = 1\n`);
    expect(codexTrusts(around(deep))).toBe(true);
    mkdirSync(join(home, 'deep/.git'));
    expect(isFolderInConfig(deep, env)).toBe(false);
    expect(codexTrusts(around(deep))).toBeUndefined();
  });
});

describe('credentials', () => {
  const found = (more: Record<string, string> = {}) =>
    codexCredentials({ env: { ...env, ...more } });

  test('may be in the variable that the configuration names', () => {
    expect(codexKeyVariables(env)).toEqual(['CODEX_API_KEY', 'OPENAI_API_KEY']);
    config('model_provider = "own"\n[model_providers.own]\nenv_key = "OWN_API_KEY"\n');
    expect(codexKeyVariables(env)).toContain('OWN_API_KEY');
  });

  test('are a key in the environment or a login in a file', () => {
    expect(found()).toMatchObject({ credentials: 'missing' });
    expect(found({ OPENAI_API_KEY: 'k' })).toMatchObject({ credentialSource: 'OPENAI_API_KEY' });
    expect(found({ CODEX_API_KEY: 'k', OPENAI_API_KEY: 'k' })).toMatchObject({
      credentialSource: 'CODEX_API_KEY',
    });
    writeFileSync(join(home, 'auth.json'), '{}');
    expect(found()).toEqual({ credentials: 'found', credentialSource: 'auth.json' });
  });

  test('may be in a keyring, which is not read', () => {
    config('cli_auth_credentials_store = "keyring"\n');
    expect(found()).toEqual({ credentials: 'unknown' });
  });

  test('are those of the provider that config.toml chooses', () => {
    config('model_provider = "mine"\n[model_providers.mine]\nname = "x"\nenv_key = "MY_KEY"\n');
    expect(found({ OPENAI_API_KEY: 'k' })).toMatchObject({ credentials: 'missing' });
    expect(found({ MY_KEY: 'k' })).toEqual({ credentials: 'found', credentialSource: 'MY_KEY' });
    config('model_provider = "ollama"\n');
    expect(found()).toEqual({ credentials: 'not_needed' });
    config('model_provider = "mine"\n[model_providers."mine"]\nname = "x"\n');
    expect(found()).toEqual({ credentials: 'unknown' });
    config('[profiles.x]\nmodel_provider = "mine"\n');
    expect(found()).toMatchObject({ credentials: 'missing' });
  });

  test('are handed over only where Codex would not find them', () => {
    const key = (more: Record<string, string>) => apiKey({ ...env, ...more });
    expect(key({ OPENAI_API_KEY: 'a' })).toBe('a');
    expect(key({ OPENAI_API_KEY: 'a', CODEX_API_KEY: 'b' })).toBe('b');
    config('cli_auth_credentials_store = "keyring"\n');
    expect(key({ OPENAI_API_KEY: 'a' })).toBeUndefined();
    config('model_provider = "mine"\n');
    expect(key({ CODEX_API_KEY: 'b' })).toBeUndefined();
    config('');
    writeFileSync(join(home, 'auth.json'), '{}');
    expect(key({ OPENAI_API_KEY: 'a' })).toBeUndefined();
    expect(key({ CODEX_API_KEY: 'b' })).toBe('b');
  });
});

test('a CODEX_HOME that leads nowhere is a problem', () => {
  expect(codexHomeProblems(env)).toEqual([]);
  expect(codexHomeProblems({})).toEqual([]);
  expect(codexHomeProblems({ CODEX_HOME: join(home, 'nowhere') })).toEqual([
    expect.objectContaining({ code: 'config_invalid' }),
  ]);
});
