import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunOptions } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolvedOptions } from '../../testing/resolved-options.ts';
import { askingSettings, checkOptions, execArgs, sessionSettings } from './args.ts';
import { allowedCommands, checkSession, droidCredentials, earlierTokens } from './droid-home.ts';

const ID = '11111111-2222-4333-8444-555555555555';
let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'droid-')));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
}

describe('the command line', () => {
  test('of a prompt', () => {
    const args = execArgs({ permissionMode: 'ask' }, { format: 'stream-json', prompt: 'Hi' });
    const only = ['--only-tools', 'Read,LS,Grep,Glob'];
    expect(args).toEqual(['exec', '--output-format', 'stream-json', ...only, 'Hi']);
  });

  test('of a follow-up, with everything', () => {
    const args = execArgs(
      {
        permissionMode: 'allow-all',
        model: 'm',
        providerOptions: { autonomy_level: 'medium', reasoning_effort: 'low' },
        rawArgs: ['--tag', 'x'],
      },
      { format: 'debug', resume: ID, systemPromptFile: '/s.md', settingsFile: '/s.json' },
    );
    expect(args).toEqual([
      ...['--settings', '/s.json', 'exec', '--output-format', 'debug', '--session-id', ID],
      ...['--model', 'm', '--reasoning-effort', 'low', '--auto', 'medium'],
      ...['--append-system-prompt-file', '/s.md', '--tag', 'x'],
    ]);
  });

  test('of a fork names the session that is copied', () => {
    const input = { format: 'json', resume: ID, fork: true } as const;
    expect(execArgs({ permissionMode: 'ask' }, input)).toContain('--fork');
  });

  test.each([
    [undefined, ['--skip-permissions-unsafe']],
    ['off', []],
    ['high', ['--auto', 'high']],
  ])('in mode allow-all with autonomy level %s', (level, expected) => {
    const providerOptions = level === undefined ? {} : { autonomy_level: level };
    const args = execArgs({ permissionMode: 'allow-all', providerOptions }, { format: 'text' });
    expect(args).toEqual(['exec', '--output-format', 'text', ...expected]);
  });
});

describe('what is above the permission mode is refused', () => {
  const cases: [RunOptions['permissionMode'], Partial<RunOptions>][] = [
    ['ask', { providerOptions: { autonomy_level: 'high' } }],
    ['ask', { providerOptions: { autonomy_level: 'low' } }],
    ['auto', { providerOptions: { autonomy_level: 'low' } }],
    ['ask', { rawArgs: ['--auto', 'low'] }],
    ['ask', { rawArgs: ['--auto=high'] }],
    ['auto', { rawArgs: ['--skip-permissions-unsafe'] }],
    ['ask', { rawArgs: ['--add-tools', 'Execute'] }],
    ['ask', { rawArgs: ['--mission'] }],
  ];
  test.each(cases)('in mode %s: %j', (permissionMode, more) => {
    const options = resolvedOptions(folder, { permissionMode, ...more });
    expect(() => checkOptions(options)).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => checkOptions({ ...options, permissionMode: 'allow-all' })).not.toThrow();
  });

  test('and autonomy level "off" is not', () => {
    const providerOptions = { autonomy_level: 'off' };
    expect(() => checkOptions(resolvedOptions(folder, { providerOptions }))).not.toThrow();
  });
});

test('auto is refused through print', () => {
  const options = resolvedOptions(folder, { permissionMode: 'auto', transport: 'print' });
  expect(() => checkOptions(options)).toThrow('cannot keep permission mode "auto" through print');
});

test('every command that settings allow is denied, so that Droid asks for it', () => {
  write('home/.factory/settings.json', '{ // mine\n "commandAllowlist": ["make // all", "rg",], }');
  write('ws/.factory/settings.local.json', '{"commandAllowlist": ["rm -rf"]}');
  const options = resolvedOptions(join(folder, 'ws'), {
    env: { HOME: join(folder, 'home') },
    trust: { folder: '', trusted: true, settings: ['.factory'] },
  });
  const allowed = allowedCommands(options);
  expect(allowed).toEqual(['make // all', 'rg', 'rm -rf']);
  const given = { commandAllowlist: ['mv'], commandDenylist: ['dd'] };
  const { commandDenylist } = askingSettings(given, allowed);
  expect(commandDenylist).toEqual(
    expect.arrayContaining(['dd', 'mv', 'ls', 'pwd', 'git status', 'make // all', 'rg', 'rm -rf']),
  );
});

test('settings that cannot be read refuse the run', () => {
  write('broken/.factory/settings.json', '{"commandAllowlist": [');
  const options = resolvedOptions(folder, { env: { HOME: join(folder, 'broken') } });
  expect(() => allowedCommands(options)).toThrow('The settings of Droid cannot be read');
});

test('a session asks, without sub-agents, unless everything is allowed', () => {
  expect(sessionSettings({ permissionMode: 'auto', model: 'm' })).toEqual({
    interactionMode: 'auto',
    autonomyLevel: 'off',
    modelId: 'm',
    disabledToolIds: ['Task'],
    additionalToolIds: ['Edit', 'Create', 'ApplyPatch', 'AskUser'],
  });
  const providerOptions = { reasoning_effort: 'off' };
  expect(sessionSettings({ permissionMode: 'allow-all', providerOptions })).toEqual({
    interactionMode: 'auto',
    autonomyLevel: 'high',
    reasoningEffort: 'off',
  });
});

describe('the home of Droid', () => {
  const env = () => ({ HOME: join(folder, 'mine') });

  test('holds credentials: a key, a login, or a model of the own', () => {
    expect(droidCredentials({ env: env() })).toMatchObject({ credentials: 'missing' });
    expect(droidCredentials({ env: { ...env(), FACTORY_API_KEY: 'fk' } })).toEqual({
      credentials: 'found',
      credentialSource: 'FACTORY_API_KEY',
    });
    write('mine/.factory/settings.json', '{"customModels":[{"model":"m"}]}');
    expect(droidCredentials({ env: env() }).credentials).toBe('found');
  });

  test('holds sessions and what they consumed', () => {
    write(`mine/.factory/sessions/-ws/${ID}.jsonl`, `${JSON.stringify({ cwd: folder })}\n{}\n`);
    const tokenUsage = { inputTokens: 7, outputTokens: 2, cacheReadTokens: 1 };
    write(`mine/.factory/sessions/-ws/${ID}.settings.json`, JSON.stringify({ tokenUsage }));
    const around = { env: env(), cwd: folder };
    expect(() => checkSession(ID, around)).not.toThrow();
    for (const other of [ID.replace('1', '9'), '*', `../-ws/${ID}`]) {
      expect(() => checkSession(other, around)).toThrow('Droid has no session');
    }
    const elsewhere = { ...around, cwd: tmpdir() };
    expect(() => checkSession(ID, elsewhere)).toThrow('belongs to another folder');
    expect(earlierTokens(ID, env())).toMatchObject({ input: 7, output: 2, cacheRead: 1 });
    expect(earlierTokens('other', env())).toBe('unknown');
  });
});
