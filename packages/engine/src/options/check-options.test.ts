import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BatonError,
  type Capabilities,
  FEATURES,
  OPTION_NAMES,
  type OptionName,
  type RUN_OPTION_KEYS,
  type RunOptions,
} from '@baton/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { demoCapabilities } from '../../../agents/src/backends/demo/capabilities.ts';
import { BUILT_IN } from '../../../agents/src/backends/index.ts';
import {
  type BackendFacts,
  checkNames,
  checkPrompt,
  resolveOptions,
  unsupportedOptions,
} from './check-options.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'options-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A value for each option, as a caller would ask for it. */
const ASKED: Readonly<Record<OptionName, RunOptions>> = {
  systemPrompt: { systemPrompt: 's' },
  cwd: { cwd: tmpdir() },
  env: { env: { A: 'b' } },
  model: { model: 'm' },
  maxTurns: { maxTurns: 1 },
  'tools.allowed': { tools: { allowed: ['Read'] } },
  'tools.disallowed': { tools: { disallowed: ['Bash'] } },
  settings: { settings: import.meta.filename },
  mcpConfig: { mcpConfig: { mcpServers: {} } },
  providerOptions: { providerOptions: { a: 1 } },
  rawArgs: { rawArgs: ['--x'] },
  permissionMode: { permissionMode: 'ask' },
  resume: { resume: 'id' },
  fork: { fork: true, resume: 'id' },
  sessionId: { sessionId: 'id' },
  outputSchema: { outputSchema: { type: 'object' } },
  timeouts: { timeouts: { totalMs: 1 } },
  budgetUsd: { budgetUsd: 1 },
  images: { images: [{ data: '', mimeType: 'image/png' }] },
};

/** A backend that can do everything but some options. */
function backendWithout(...missing: OptionName[]): BackendFacts {
  const support = (name: OptionName) => (missing.includes(name) ? 'unsupported' : 'mapped');
  const capabilities: Capabilities = {
    features: Object.fromEntries(FEATURES.map((name) => [name, true])) as Capabilities['features'],
    options: Object.fromEntries(
      OPTION_NAMES.map((name) => [name, { support: support(name), how: `about ${name}.` }]),
    ) as Capabilities['options'],
    permissionModes: ['ask', 'auto'],
    transports: ['live', 'print'],
    permissions: 'proved',
    stop: 'verified',
  };
  return { id: 'b', label: 'Bob', capabilities };
}

const resolved = (backend: BackendFacts, options: RunOptions) =>
  resolveOptions(backend, options, BUILT_IN);

/** The error with which some options are refused. */
function refusal(backend: BackendFacts, options: RunOptions): BatonError {
  try {
    resolved(backend, options);
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('The options were not refused.');
}

describe('an option that the backend does not support', () => {
  test.each(OPTION_NAMES)('%s is refused by its name, with the reason and a way out', (name) => {
    const error = refusal(backendWithout(name), ASKED[name]);
    expect(error.code).toBe('capability_missing');
    expect(error.message).toBe(`Bob does not support ${name} (about ${name}).`);
    expect(error.hint).toContain(`Omit ${name}`);
    expect(error.hint).toContain('Supported by: claude-cli');
  });

  test.each(OPTION_NAMES)('%s passes where it is supported', (name) => {
    expect(() => resolved(backendWithout(), ASKED[name])).not.toThrow();
  });

  test('the hint names only the backends that have it', () => {
    const { hint } = refusal(backendWithout('tools.allowed'), ASKED['tools.allowed']);
    expect(hint).toContain('Supported by: claude-cli, pi.');
  });

  test('all of them are named at once', () => {
    const { message, hint } = refusal(backendWithout('model', 'images', 'settings'), {
      ...ASKED.model,
      ...ASKED.images,
    });
    expect(message).toBe('Bob does not support model (about model), images (about images).');
    expect(hint).toMatch(
      /Supported by: model: claude-cli, codex-cli, [^;]*; images: claude-cli, codex-cli, [^;]*\.$/,
    );
  });

  test('is exactly what is missing and requested', () => {
    const some = fc.subarray([...OPTION_NAMES]);
    fc.assert(
      fc.property(some, some, (missing, asked) => {
        const options: RunOptions = Object.assign({}, ...asked.map((name) => ASKED[name]));
        if (asked.includes('tools.allowed') && asked.includes('tools.disallowed'))
          options.tools = { allowed: ['Read'], disallowed: ['Bash'] };
        const wanted = new Set<OptionName>(asked);
        if (wanted.has('fork')) wanted.add('resume');
        const expected = OPTION_NAMES.filter((name) => missing.includes(name) && wanted.has(name));
        const { capabilities } = backendWithout(...missing);
        expect(unsupportedOptions(capabilities, options)).toEqual(expected);
      }),
    );
  });

  test('that is present but empty is not requested', () => {
    const empty: RunOptions = {
      model: undefined,
      tools: { allowed: [], disallowed: [] },
      rawArgs: [],
      images: [],
      fork: false,
      env: {},
      providerOptions: {},
      timeouts: { totalMs: undefined },
    };
    expect(unsupportedOptions(backendWithout(...OPTION_NAMES).capabilities, empty)).toEqual([]);
  });
});

describe('the working directory', () => {
  test('is made absolute', () => {
    expect(resolved(backendWithout(), { cwd: '.' }).cwd).toBe(process.cwd());
    expect(resolved(backendWithout(), {}).cwd).toBe(process.cwd());
  });

  test('must exist', () => {
    const error = refusal(backendWithout(), { cwd: join(folder, 'nowhere') });
    expect(error.code).toBe('cwd_missing');
    expect(error.message).toContain(join(folder, 'nowhere'));
    expect(error.hint).toBe('Create it, or choose another folder.');
  });

  test('must be a directory', () => {
    writeFileSync(join(folder, 'file'), '');
    const error = refusal(backendWithout(), { cwd: join(folder, 'file') });
    expect(error.code).toBe('cwd_missing');
    expect(error.message).toContain('not a directory');
  });
});

describe('the permission mode', () => {
  test('is ask by default', () => {
    expect(resolved(backendWithout(), {}).permissionMode).toBe('ask');
  });

  test('an unknown one is an error that lists the known ones', () => {
    const error = refusal(backendWithout(), { permissionMode: 'yolo' as 'ask' });
    expect(error.code).toBe('usage');
    expect(error.hint).toContain('ask, auto, allow-all');
  });

  test('that the backend cannot keep is refused, and those it can are named', () => {
    const error = refusal(backendWithout(), { permissionMode: 'allow-all' });
    expect(error.code).toBe('capability_missing');
    expect(error.message).toContain('allow-all');
    expect(error.hint).toContain('ask, auto');
  });
});

test('a transport that the backend does not have is refused, and those it has are named', () => {
  const error = refusal(backendWithout(), { transport: 'pigeon' });
  expect(error.code).toBe('usage');
  expect(error.hint).toContain('live, print');
});

test('only a resumed session can be forked', () => {
  expect(refusal(backendWithout(), { fork: true }).code).toBe('usage');
});

test('the environment of the agent is ours plus the given variables', () => {
  const { env } = resolved(backendWithout(), { env: { BATON_TEST_ONLY: 'x' } });
  expect(env).toMatchObject({ PATH: process.env.PATH, BATON_TEST_ONLY: 'x' });
});

describe('a prompt', () => {
  test.each(['Hi', '-p', '--help', '\u{1F600}', ' x ', 'x'.repeat(10_000_000)])(
    'can be %.10s',
    (prompt) => {
      expect(() => checkPrompt(prompt)).not.toThrow();
    },
  );

  test.each([
    ['empty', '', /empty/],
    ['blank', ' \n\t', /empty/],
    ['no text', undefined as unknown as string, /must be a string, not undefined/],
    ['with a NUL character', 'a\0b', /NUL/],
  ])('cannot be %s', (_name, prompt, words) => {
    expect(() => checkPrompt(prompt)).toThrow(words);
  });
});

describe('files, times and limits', () => {
  const refused = (options: RunOptions) => () => resolved(backendWithout(), options);

  test.each<[string, RunOptions]>([
    ['The settings file', { settings: 'no.json' }],
    ['The MCP configuration', { mcpConfig: 'no.json' }],
    ['The image', { images: [{ path: 'no.json' }] }],
  ])('%s must be there, from the working directory', (what, options) => {
    expect(refused({ ...options, cwd: folder })).toThrow(`${what} does not exist: no.json`);
    writeFileSync(join(folder, 'no.json'), '{}');
    expect(refused({ ...options, cwd: folder })).not.toThrow();
    rmSync(join(folder, 'no.json'));
  });

  test.each([-5, Number.NaN, '5'])('a timeout cannot be %s', (totalMs) => {
    expect(refused({ timeouts: { totalMs: totalMs as number } })).toThrow(
      /0 means no limit|number/,
    );
  });

  test.each<[RunOptions, string]>([
    [{ maxTurns: 0 }, 'The option maxTurns must be a whole number above 0, not 0.'],
    [{ maxTurns: 1.5 }, 'The option maxTurns must be a whole number above 0, not 1.5.'],
    [{ budgetUsd: 0 }, 'The option budgetUsd must be a number above 0, not 0.'],
    [{ budgetUsd: Number.NaN }, 'The option budgetUsd must be a number above 0, not NaN.'],
  ])('%j is not a limit', (options, message) => {
    expect(refused(options)).toThrow(message);
  });
});

describe('options that a caller without types can send', () => {
  const backend = (): BackendFacts => ({
    id: 'test',
    label: 'Test',
    capabilities: demoCapabilities,
  });

  test('an unknown key is refused, with the likeliest one', () => {
    const options = { cwd: folder, sytemPrompt: 'x' } as RunOptions;
    expect(() => resolved(backend(), options)).toThrow(
      expect.objectContaining({ code: 'usage', hint: 'Did you mean systemPrompt?' }),
    );
  });

  test('the interactive mode is refused', () => {
    expect(() => resolved(backend(), { cwd: folder, mode: 'interactive' })).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
  });

  test('every key of the type is known', () => {
    expectTypeOf<keyof RunOptions>().toEqualTypeOf<(typeof RUN_OPTION_KEYS)[number]>();
  });
});

describe('rejects a name that an agent would take for a flag', () => {
  test.each(['model', 'resume', 'sessionId'] as const)('%s', (name) => {
    for (const value of ['--skip-trust', '-m', ' --policy=x', 'a\nb', 'a\u001b[0m']) {
      expect(() => checkNames({ [name]: value })).toThrow(`The option ${name} is not a name`);
    }
    for (const value of ['gpt-5', 'anthropic/claude-opus-4[1m]', 'a b']) {
      expect(() => checkNames({ [name]: value })).not.toThrow();
    }
  });
});

describe('rejects an empty name, as from an unset variable of a script', () => {
  test.each(['resume', 'sessionId', 'model', 'cwd', 'settings', 'mcpConfig'] as const)(
    '%s',
    (name) => {
      for (const value of ['', ' ']) {
        expect(() => resolved(backendWithout(), { cwd: folder, [name]: value })).toThrow(
          expect.objectContaining({ code: 'usage', message: `The option ${name} is empty.` }),
        );
      }
    },
  );
});
