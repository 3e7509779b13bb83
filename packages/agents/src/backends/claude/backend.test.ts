import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LaunchInput } from '@baton/engine/definition/driver';
import { capabilitiesSchema, type RunOptions } from '@baton/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claudeBackend } from '../../testing/built-in-backends.ts';
import { nothingFirst, resolvedOptions } from '../../testing/resolved-options.ts';
import { claudeSpec } from './backend.ts';
import { claudeCapabilities } from './capabilities.ts';
import { findCredentials } from './credentials.ts';
import { live, print } from './drivers.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claude-backend-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('says of every option what becomes of it', () => {
  expect(capabilitiesSchema.parse(claudeCapabilities)).toEqual(claudeCapabilities);
});

describe('refuses before anything starts', () => {
  test.each([
    ['a provider option that Claude does not have', { providerOptions: { nonsense: 1 } }, 'usage'],
    ['a provider option with a wrong value', { providerOptions: { effort: 3 } }, 'usage'],
    ['a session id that is no UUID', { sessionId: 'mine' }, 'usage'],
    [
      'a new id for a session that goes on',
      { sessionId: crypto.randomUUID(), resume: crypto.randomUUID() },
      'usage',
    ],
    [
      'images with the print transport',
      { transport: 'print', images: [{ data: '', mimeType: 'image/png' }] },
      'capability_missing',
    ],
  ] satisfies [string, RunOptions, string][])('%s', (_name, options, code) => {
    const run = () => claudeBackend().run({ ...options, cwd: folder, prompt: 'Hello.' });
    expect(run).toThrow(expect.objectContaining({ code }));
  });

  test('to skip permissions for root, unless the environment says that it is a sandbox', () => {
    const check = (env: Record<string, string>) => () =>
      claudeSpec.check?.(resolvedOptions(folder, { env, permissionMode: 'allow-all' }));
    if (process.getuid?.() === 0) {
      expect(check({})).toThrow(expect.objectContaining({ code: 'root_refused' }));
    }
    expect(check({ IS_SANDBOX: '1' })).not.toThrow();
  });
});

describe('the command line', () => {
  test('private texts go into files and not onto the command line', () => {
    const files: string[] = [];
    const { args } = launch(live, files, {
      systemPrompt: 'secret one',
      settings: { env: { KEY: 'secret two' } },
      mcpConfig: { mcpServers: { a: { command: 'x', env: { KEY: 'secret three' } } } },
    });
    expect(args.join(' ')).not.toContain('secret');
    expect(files.join(' ')).toMatch(/secret one.*secret two.*secret three/);
    expect(args).toEqual(
      expect.arrayContaining(['--append-system-prompt-file', '--settings', '--mcp-config']),
    );
    expect(args).not.toContain('--strict-mcp-config');
  });

  test('a prompt goes to the print transport as an argument when it can', () => {
    expect(launch(print, [], {}, 'Hello.')).toMatchObject({
      args: expect.arrayContaining(['-p', 'Hello.']),
      stdin: 'none',
    });
    for (const text of ['-v', '--help me', 'x'.repeat(100_001), 'ü'.repeat(60_000)]) {
      const { args, stdin } = launch(print, [], {}, text);
      expect(stdin).toEqual({ text });
      expect(args).not.toContain(text);
    }
  });

  test('the print transport adds ask rules to the given settings', () => {
    const path = join(folder, 'mine.json');
    writeFileSync(
      path,
      JSON.stringify({ model: 'opus', permissions: { deny: ['Read(.env)'], ask: ['X'] } }),
    );
    const files: string[] = [];
    launch(print, files, {
      settings: 'mine.json',
      tools: { allowed: ['Bash(git:*)', 'WebFetch', 'mcp__a__b'] },
    });
    expect(JSON.parse(files[0] ?? '')).toEqual({
      model: 'opus',
      permissions: {
        deny: ['Read(.env)'],
        ask: ['X', 'Bash', 'Skill', 'WebSearch', 'Edit', 'NotebookEdit', 'Write'],
      },
    });
  });

  test('settings that cannot be read are an error', () => {
    const start = () => launch(print, [], { settings: 'nowhere.json' });
    expect(start).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });

  test('an image that cannot be read is an error', () => {
    const dialect = live.dialect(
      { emit: () => {}, write: () => {}, complete: () => {} },
      { options: resolvedOptions(folder), resume: undefined, fork: false },
    );
    const prompt = (path: string) => () => dialect.prompt?.({ text: 'Look.', images: [{ path }] });
    expect(prompt('nowhere.png')).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(prompt('picture.tiff')).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('credentials', () => {
  test.each([
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
  ])('are found in %s, and only the name is reported', (name) => {
    expect(found({ [name]: 'secret' })).toEqual({ credentials: 'found', credentialSource: name });
  });

  test.each([
    ['home/.claude/.credentials.json', { claudeAiOauth: {} }],
    ['home/.claude.json', { oauthAccount: {} }],
    ['home/.claude.json', { primaryApiKey: 'x' }],
    ['home/.claude/settings.json', { apiKeyHelper: './key.sh' }],
    ['work/.claude/settings.json', { apiKeyHelper: './key.sh' }],
  ])('are found in %s', (path, content) => {
    put(path, content);
    expect(found({})).toEqual({ credentials: 'found', credentialSource: join(folder, path) });
  });

  test('are searched in another folder when Claude is configured to use one', () => {
    put('home/.claude/.credentials.json', { claudeAiOauth: {} });
    expect(found({ CLAUDE_CONFIG_DIR: join(folder, 'other') }).credentials).not.toBe('found');
    put('other/.claude.json', { oauthAccount: {} });
    expect(found({ CLAUDE_CONFIG_DIR: join(folder, 'other') }).credentials).toBe('found');
  });

  test('are missing otherwise, without a keychain', () => {
    put('home/.claude.json', { projects: {} });
    expect(found({}).credentials).toBe(process.platform === 'darwin' ? 'unknown' : 'missing');
  });
});

function launch(driver: typeof live, files: string[], more: Partial<RunOptions>, text = 'Go.') {
  const input: LaunchInput = {
    options: resolvedOptions(folder, more),
    resume: undefined,
    fork: false,
    prompt: { text, images: [] },
    runFirst: nothingFirst,
    tempFile: (name, content) => {
      files.push(content);
      return join(folder, name);
    },
  };
  const started = driver.launch(input);
  if (started instanceof Promise) throw new Error('The driver does not start at once');
  return started;
}

function found(env: Record<string, string>) {
  return findCredentials({ env, home: join(folder, 'home'), cwd: join(folder, 'work') });
}

function put(path: string, content: object): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

test('lists the commands of a folder once it is trusted', () => {
  const cwd = folder;
  mkdirSync(join(cwd, '.claude/commands/team'), { recursive: true });
  for (const name of ['review-it.md', 'team/greet.md', 'notes.txt']) {
    writeFileSync(join(cwd, '.claude/commands', name), 'Say hello.');
  }
  expect(claudeBackend().commandsIn?.({ cwd })).toEqual([]);
  const trusting = claudeBackend({ trust: { trusted: [cwd], untrusted: [] } });
  const names = trusting.commandsIn?.({ cwd }).map(({ name }) => name);
  expect(names?.sort()).toEqual(['review-it', 'team:greet']);
});
