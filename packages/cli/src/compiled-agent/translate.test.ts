import { BatonError, type Capabilities, OPTION_NAMES, type OptionName } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flags } from './flags.ts';
import { type Destination, translate } from './translate.ts';

const NONE: Flags = {
  print: false,
  json: false,
  verbose: false,
  allowedTools: [],
  disallowedTools: [],
  rawArgs: [],
  claudeArgs: [],
};

function destination(missing: readonly OptionName[], more: Partial<Destination> = {}): Destination {
  const options = Object.fromEntries(
    OPTION_NAMES.map((name) => {
      const support = missing.includes(name) ? 'unsupported' : 'mapped';
      return [name, { support, how: `about ${name}.` }];
    }),
  ) as Capabilities['options'];
  const rest = { writtenFor: undefined, isClaude: false, interactive: false };
  return { label: 'Bob', capabilities: { options }, ...rest, ...more };
}

describe('an agent without flags', () => {
  test('runs in print mode and asks by default', () => {
    const { options, warnings } = translate({ name: 'a', prompt: 'p' }, NONE, destination([]));
    expect(options).toMatchObject({ mode: 'print', permissionMode: 'ask' });
    expect(warnings).toEqual([]);
  });

  test('leaves the permission mode to a transport that it names', () => {
    const { options } = translate({ name: 'a', transport: 'plain' }, NONE, destination([]));
    expect(options).toMatchObject({ transport: 'plain', permissionMode: undefined });
  });
});

describe('flags of Claude Code without a unified option', () => {
  const claudeArgs = ['--add-dir', '/x', '--add-dir', '/y', '--fallback-model', 'small'];
  const flags = { ...NONE, claudeArgs, rawArgs: ['--debug'] };

  test('are passed on to Claude Code, before what is passed unchanged', () => {
    const { options } = translate({ name: 'a' }, flags, destination([], { isClaude: true }));
    expect(options.rawArgs).toEqual([...claudeArgs, '--debug']);
  });

  test('are errors for other agents, which take only what is passed unchanged', () => {
    expect(() => translate({ name: 'a' }, flags, destination([]))).toThrow(
      'Bob does not have --add-dir, --fallback-model.',
    );
    const raw = { ...flags, claudeArgs: [] };
    expect(translate({ name: 'a' }, raw, destination([])).options.rawArgs).toEqual(['--debug']);
    expect(() => translate({ name: 'a' }, raw, destination(['rawArgs']))).toThrow('--raw-arg');
  });

  test('a session is forked and named where the agent can do that', () => {
    const named = { ...NONE, resume: 'r', fork: true, sessionId: 's' };
    const { options } = translate({ name: 'a' }, named, destination([]));
    expect(options).toMatchObject({ resume: 'r', fork: true, sessionId: 's' });
    expect(() => translate({ name: 'a' }, named, destination(['fork']))).toThrow('--fork-session');
    const noId = destination(['sessionId']);
    expect(() => translate({ name: 'a' }, named, noId)).toThrow('--session-id');
  });
});

test('flags win over the agent, and add to its lists and texts', () => {
  const server = { command: 'server' };
  const agent = {
    name: 'a',
    systemPrompt: 'One.',
    model: 'small',
    permissionMode: 'auto' as const,
    tools: { allowed: ['Read'], disallowed: ['Write'] },
    mcpConfig: { mcpServers: { one: server, two: server } },
    maxTurns: 1,
  };
  const flags: Flags = {
    ...NONE,
    model: 'big',
    maxTurns: 9,
    allowedTools: ['Grep', 'Read'],
    disallowedTools: ['Bash'],
    mcpConfig: { mcpServers: { two: { url: 'http://two' } } },
    appendSystemPrompt: 'Two.',
    permissionMode: 'allow-all',
  };
  expect(translate(agent, flags, destination([])).options).toMatchObject({
    systemPrompt: 'One.\n\nTwo.',
    model: 'big',
    maxTurns: 9,
    permissionMode: 'allow-all',
    tools: { allowed: ['Read', 'Grep'], disallowed: ['Write', 'Bash'] },
    mcpConfig: { mcpServers: { one: server, two: { url: 'http://two' } } },
  });
});

test('what the agent has for its own backend is not for another one', () => {
  const agent = {
    name: 'a',
    model: 'opus',
    settings: {},
    providerOptions: {},
    transport: 'live',
    tools: { allowed: ['Read'], disallowed: ['Write'] },
  };
  const to = destination(['settings'], { writtenFor: 'claude-cli' });
  const { options, warnings } = translate(agent, NONE, to);
  expect(options).toMatchObject({
    model: undefined,
    settings: undefined,
    providerOptions: undefined,
    transport: undefined,
    // A prohibition is never omitted.
    tools: { allowed: undefined, disallowed: ['Write'] },
  });
  const without = 'in the agent file applies only to claude-cli; Bob runs without it.';
  expect(warnings).toEqual([
    `model ${without} Set it with --model.`,
    `tools.allowed ${without} Set it with --allowedTools.`,
    `settings ${without}`,
    `providerOptions ${without}`,
  ]);
  const flags = { ...NONE, model: 'gpt', allowedTools: ['read'] };
  expect(translate(agent, flags, to).options).toMatchObject({
    model: 'gpt',
    tools: { allowed: ['read'] },
  });
});

test('allowed tools that the backend does not know are omitted with a warning', () => {
  const agent = { name: 'a', tools: { allowed: ['Read'], disallowed: ['Write'] } };
  const to = destination(['tools.allowed', 'tools.disallowed']);
  const { options, warnings } = translate(agent, NONE, to);
  // A prohibition is never omitted: the backend refuses it.
  expect(options.tools).toEqual({ allowed: undefined, disallowed: ['Write'] });
  expect(warnings).toEqual([
    'Bob runs without tools.allowed in the agent file (about tools.allowed).',
  ]);
});

test('limits of a run are none for a person who types along', () => {
  const agent = {
    name: 'a',
    maxTurns: 1,
    budgetUsd: 1,
    timeouts: { totalMs: 1 },
    outputSchema: {},
  };
  const flags = { ...NONE, maxTurns: 3, transport: 'live' };
  const { options, warnings } = translate(agent, flags, destination([], { interactive: true }));
  expect(Object.keys(options)).not.toContain('mode');
  for (const name of ['maxTurns', 'budgetUsd', 'timeouts', 'outputSchema', 'transport']) {
    expect(Object.keys(options)).not.toContain(name);
  }
  expect(warnings).toEqual([
    '--max-turns has no effect without --print.',
    '--transport has no effect without --print.',
  ]);
});

test('every flag reaches the run, or is warned of, or is an error that names it', () => {
  const GIVEN = {
    model: ['--model', 'model', 'big'],
    maxTurns: ['--max-turns', 'maxTurns', 7],
    allowedTools: ['--allowedTools', 'tools.allowed', ['Read']],
    disallowedTools: ['--disallowedTools', 'tools.disallowed', ['Write']],
    mcpConfig: ['--mcp-config', 'mcpConfig', { mcpServers: { s: { command: 'c' } } }],
    settings: ['--settings', 'settings', { a: 1 }],
    appendSystemPrompt: ['--append-system-prompt', 'systemPrompt', 'Be brief.'],
    resume: ['--resume', 'resume', 'id'],
  } as const;
  const names = Object.keys(GIVEN) as (keyof typeof GIVEN)[];
  const run = fc.record({
    given: fc.subarray(names),
    missing: fc.subarray([...OPTION_NAMES]),
    interactive: fc.boolean(),
    writtenFor: fc.constantFrom(undefined, 'claude-cli'),
  });
  fc.assert(
    fc.property(run, ({ given, missing, ...more }) => {
      const values = Object.fromEntries(given.map((name) => [name, GIVEN[name][2]]));
      let said = '';
      try {
        const to = destination(missing, more);
        const { options, warnings } = translate({ name: 'a' }, { ...NONE, ...values }, to);
        said = JSON.stringify(options) + warnings.join(' ');
        for (const name of given) {
          const [flag, , value] = GIVEN[name];
          const isThere = said.includes(JSON.stringify(value)) || said.includes(flag);
          expect([flag, isThere]).toEqual([flag, true]);
        }
      } catch (error) {
        if (!BatonError.is(error)) throw error;
        expect(error.code).toBe('capability_missing');
        const refused = given.filter((name) => error.message.includes(GIVEN[name][0]));
        expect(refused.length).toBeGreaterThan(0);
        for (const name of refused) expect(missing).toContain(GIVEN[name][1]);
      }
    }),
  );
});
