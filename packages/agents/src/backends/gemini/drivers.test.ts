import type { Launch, LaunchInput } from '@baton/engine/definition/driver';
import { describe, expect, test } from 'vitest';
import { nothingFirst, resolvedOptions } from '../../testing/resolved-options.ts';
import { checkOptions, GEMINI, isCutOff, live, print } from './drivers.ts';

const CWD = '/work';
type Options = Parameters<typeof resolvedOptions>[1];

function input(text: string, options: Options, files: string[] = []): LaunchInput {
  return {
    options: resolvedOptions(CWD, options),
    resume: undefined,
    fork: false,
    prompt: { text, images: [] },
    runFirst: nothingFirst,
    tempFile: (name, content) => {
      files.push(content);
      return `/tmp/${name}`;
    },
  };
}

function launched(
  driver: typeof live,
  text: string,
  options: Options = {},
  files?: string[],
): Launch {
  return driver.launch?.(input(text, options, files)) as Launch;
}

describe('print', () => {
  test('takes the prompt as the last argument', () => {
    const { args, stdin } = launched(print, 'Say hello', { model: 'm', rawArgs: ['--debug'] });
    expect(args).toEqual([
      ...['--output-format', 'stream-json', '--approval-mode', 'default', '--model', 'm'],
      ...['--debug', 'Say hello'],
    ]);
    expect(stdin).toBe('none');
  });

  test.each(['--help', '-p', 'mcp', 'x'.repeat(200_000)])(
    'takes a prompt that would not be one as an argument by standard input (%#)',
    (text) => {
      const { args, stdin } = launched(print, text);
      expect(args).not.toContain(text);
      expect(stdin).toEqual({ text });
    },
  );

  test('takes the whole answer after a long prompt, because the stream would repeat it', () => {
    expect(launched(print, 'x'.repeat(200_000)).args.slice(0, 2)).toEqual([
      '--output-format',
      'json',
    ]);
  });

  test('allows everything only in allow-all', () => {
    expect(launched(print, 'Hi', { permissionMode: 'allow-all' }).args).toContain('yolo');
    expect(launched(print, 'Hi', { permissionMode: 'ask' }).args).not.toContain('yolo');
  });

  test('trusts a folder without settings, where trust lets nothing in', () => {
    const trust = (trusted: boolean, settings: string[]) =>
      launched(print, 'Hi', { transport: 'print', trust: { folder: CWD, trusted, settings } }).env;
    expect(trust(false, [])).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: 'true' });
    expect(trust(false, ['.gemini'])).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: 'false' });
    expect(trust(true, ['.gemini'])).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: 'true' });
  });
});

describe('live', () => {
  test.each(['ask', 'auto'] as const)(
    'asks for everything in mode %s, by a policy file',
    (mode) => {
      const files: string[] = [];
      const { args } = launched(live, '', { permissionMode: mode }, files);
      expect(args).toEqual([
        '--acp',
        '--approval-mode',
        'default',
        '--admin-policy',
        '/tmp/policy.toml',
      ]);
      expect(files).toEqual([expect.stringContaining('decision = "ask_user"')]);
      expect(files[0]).toMatch(/"run_shell_command"\nargsPattern = "\.\*"\ndecision = "ask_user"/);
    },
  );

  test('has no policy in allow-all', () => {
    const files: string[] = [];
    const { args } = launched(live, '', { permissionMode: 'allow-all' }, files);
    expect([args, files]).toEqual([['--acp', '--approval-mode', 'yolo'], []]);
  });

  test('does not trust a folder that nobody trusted', () => {
    expect(launched(live, '', { transport: 'live' }).env).toEqual({
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'false',
    });
  });
});

describe('options', () => {
  const check = (options: Options) => () => checkOptions(resolvedOptions(CWD, options));

  test.each([
    '--skip-trust',
    '--yolo',
    '-y',
    '--approval-mode=yolo',
    '--allowed-tools',
    '--admin-policy',
  ])('%s is refused below allow-all', (flag) => {
    expect(check({ rawArgs: [flag] })).toThrow(/more rights than permission mode "ask"/);
    expect(check({ rawArgs: [flag], permissionMode: 'auto' })).toThrow(/more rights/);
    expect(check({ rawArgs: [flag], permissionMode: 'allow-all' })).not.toThrow();
  });

  test('auto is refused through print, which would edit protected files', () => {
    expect(check({ permissionMode: 'auto', transport: 'print' })).toThrow(/cannot keep/);
    expect(check({ permissionMode: 'auto' })).not.toThrow();
  });
});

test.each([
  ['live', live],
  ['print', print],
])('%s does not report what Gemini prints in every run', (_name, driver) => {
  const ignore = () => {};
  const out = { emit: ignore, complete: ignore, giveUp: ignore, write: ignore };
  const dialect = driver.dialect(out, input('Hi', {}));
  expect(dialect.stderrLine?.('Ripgrep is not available. Falling back to GrepTool.')).toBe(true);
  expect(dialect.stderrLine?.('The disk is full.')).toBe(false);
});

describe('a call of an MCP tool', () => {
  const actionOf = (name: string) =>
    GEMINI.mcpAction?.(name, { a: 1 }, ['echo', 'two_words', 'a.b']);

  test.each([
    ['mcp_echo_say', 'echo', 'say'],
    ['mcp_echo_say_it', 'echo', 'say_it'],
    ['mcp_two_words_say', 'two_words', 'say'],
    ['mcp_a.b_say', 'a.b', 'say'],
    ['mcp_own_say', 'own', 'say'],
  ])('%s is one of the server %s', (name, server, tool) => {
    expect(actionOf(name)).toEqual({ type: 'mcp', server, tool, arguments: { a: 1 } });
  });

  test.each(['run_shell_command', 'echo_say', 'mcp_', 'mcp_echo', 'mcp_echo_'])(
    '%s is none',
    (name) => {
      expect(actionOf(name)).toBeUndefined();
    },
  );
});

describe('a turn that Gemini CLI calls done', () => {
  const reply = (input?: number) => ({ id: 'r', tokens: input === undefined ? null : { input } });
  const done = (inputTokens?: number) => ({ outcome: 'done' as const, usage: { inputTokens } });

  test.each([
    ['has only a reply that is not in the session', done(0), []],
    ['has only a reply that is not counted', done(0), [reply(1200)]],
    ['ends with a reply that is not counted', done(1000), [reply(1000), reply(1450)]],
  ])('has failed if it %s', (_name, verdict, replies) => {
    expect(isCutOff(verdict, replies)).toBe(true);
  });

  test.each([
    ['every reply is counted', done(2450), [reply(1000), reply(1450)]],
    ['the provider counts nothing', done(0), [reply(), reply()]],
    ['nothing is told', done(), []],
    ['the session has other replies', done(1300), [reply(1000), reply(1450)]],
    ['it failed', { outcome: 'failed' as const, usage: { inputTokens: 0 } }, []],
  ])('has not if %s', (_name, verdict, replies) => {
    expect(isCutOff(verdict, replies)).toBe(false);
  });
});
