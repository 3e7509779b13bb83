import { object, parseJson } from '@baton/config/values/json';
import type { Launch, ResolvedOptions } from '@baton/engine/definition/driver';
import { describe, expect, test } from 'vitest';
import { nothingFirst, resolvedOptions } from '../../testing/resolved-options.ts';
import { checkOptions, live, print, printArgs } from './drivers.ts';

type More = Parameters<typeof resolvedOptions>[1];
const options = (more?: More): ResolvedOptions => resolvedOptions('/work', more);
const untrusted = { folder: '/work', trusted: false, settings: ['opencode.json'] };
const trusted = { ...untrusted, trusted: true };

function launched(driver: typeof live | typeof print, more?: More, prompt = 'Hello.'): Launch {
  const input = {
    options: options(more),
    resume: undefined,
    fork: false,
    prompt: { text: prompt, images: [] },
    runFirst: nothingFirst,
    tempFile: () => '',
  };
  return driver.launch?.(input) as Launch;
}

describe('the command line of print', () => {
  test('has the subcommand, the format and the model', () => {
    expect(printArgs({ permissionMode: 'ask', model: 'fake/model' }, {})).toEqual([
      ...['run', '--format', 'json', '--thinking', '--model', 'fake/model'],
    ]);
  });

  test('resumes and forks a session', () => {
    const args = printArgs({ permissionMode: 'allow-all' }, { resume: 'ses_1', fork: true });
    expect(args.slice(4)).toEqual(['--auto', '--session', 'ses_1', '--fork']);
  });

  test.each(['-x', '--auto', 'a "quoted"\nprompt', 'x'.repeat(1_000_000)])(
    'leaves the prompt to standard input: %.12s',
    (prompt) => {
      const { args, stdin } = launched(print, {}, prompt);
      expect(stdin).toEqual({ text: prompt });
      expect(args).not.toContain(prompt);
    },
  );
});

describe('the environment', () => {
  test('makes OpenCode ask, and go on after a denial', () => {
    const { OPENCODE_PERMISSION = '', OPENCODE_CONFIG_CONTENT = '' } = launched(live).env ?? {};
    expect(parseJson(OPENCODE_PERMISSION)).toMatchObject({ '*': 'ask', read: { '*': 'allow' } });
    expect(parseJson(OPENCODE_CONFIG_CONTENT)).toMatchObject({
      experimental: { continue_loop_on_deny: true },
    });
  });

  test('keeps the configuration that the user gave there', () => {
    const given = { model: 'a/b', experimental: { batch_tool: true } };
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(given) };
    const content = object(parseJson(launched(live, { env }).env?.OPENCODE_CONFIG_CONTENT ?? ''));
    expect(content).toMatchObject(given);
    const broken = { OPENCODE_CONFIG_CONTENT: '{' };
    expect(() => launched(live, { env: broken })).toThrow(/not a JSON object/);
  });

  test('holds no rules in allow-all', () => {
    const { env } = launched(live, { permissionMode: 'allow-all', trust: trusted });
    expect(env).not.toHaveProperty('OPENCODE_PERMISSION');
    expect(env).not.toHaveProperty('OPENCODE_CONFIG_CONTENT');
  });

  test.each([
    ['live, trusted', live, trusted, 'ask', undefined],
    ['live, untrusted', live, untrusted, 'ask', '1'],
    ['live, untrusted, allow-all', live, untrusted, 'allow-all', '1'],
    ['print, trusted', print, trusted, 'ask', '1'],
    ['print, trusted, allow-all', print, trusted, 'allow-all', undefined],
  ] as const)('withholds the settings of a folder: %s', (_, driver, trust, mode, withheld) => {
    const { env } = launched(driver, { trust, permissionMode: mode });
    expect(env?.OPENCODE_DISABLE_PROJECT_CONFIG).toBe(withheld);
  });

  test.each([
    ['live', live, 'ask'],
    ['live, allow-all', live, 'allow-all'],
    ['print', print, 'ask'],
    ['print, allow-all', print, 'allow-all'],
  ] as const)('runs no programs of an untrusted folder after edits: %s', (_, driver, mode) => {
    const given = { formatter: true, lsp: { own: { command: ['x'] } } };
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(given) };
    const content = (trust: typeof trusted) => {
      const launch = launched(driver, { trust, env, permissionMode: mode });
      return object(parseJson(launch.env?.OPENCODE_CONFIG_CONTENT ?? JSON.stringify(given)));
    };
    expect(content({ ...untrusted, settings: [] })).toMatchObject({ formatter: false, lsp: false });
    expect(content(trusted)).toMatchObject(given);
  });

  test('holds the password of the server, which stands nowhere else', () => {
    const one = launched(live);
    const two = launched(live);
    const password = one.env?.OPENCODE_SERVER_PASSWORD ?? '';
    expect(password.length).toBeGreaterThan(20);
    expect(one.args.join(' ')).not.toContain(password);
    expect(two.env?.OPENCODE_SERVER_PASSWORD).not.toBe(password);
  });
});

describe('options', () => {
  test.each(['--auto', '--agent', '--agent=wild', '--command', '--yolo'])(
    'refuses %s, which could give more rights than the mode',
    (arg) => {
      expect(() => checkOptions(options({ rawArgs: [arg] }))).toThrow(/more rights/);
      const allowed = options({ rawArgs: [arg], permissionMode: 'allow-all' });
      expect(() => checkOptions(allowed)).not.toThrow();
    },
  );

  test.each(['--port=1', '--hostname', '--mdns', '--cors'])('refuses %s', (arg) => {
    const given = options({ rawArgs: [arg], permissionMode: 'allow-all' });
    expect(() => checkOptions(given)).toThrow(/chooses/);
  });

  test('refuses auto through print, where nobody can be asked about protected files', () => {
    const auto = { permissionMode: 'auto' } as const;
    expect(() => checkOptions(options({ ...auto, transport: 'print' }))).toThrow(/auto/);
    expect(() => checkOptions(options({ ...auto, mode: 'print' }))).toThrow(/auto/);
    expect(() => checkOptions(options(auto))).not.toThrow();
  });

  test('refuses a model without its provider', () => {
    expect(() => checkOptions(options({ model: 'gpt-5' }))).toThrow(/does not know the model/);
    expect(() => checkOptions(options({ model: 'openrouter/a/b' }))).not.toThrow();
  });
});
