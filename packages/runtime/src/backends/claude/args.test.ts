import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ArgsInput,
  agentRuntimeArgs,
  gatewayArgs,
  liveArgs,
  printArgs,
  runnerArgs,
  terminalArgs,
} from './args.ts';

const RUNS = { numRuns: 200 };
const word = fc.string({ minLength: 1 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const toolName = fc.constantFrom('Bash', 'Edit', 'Read', 'Bash(git log:*)', 'mcp__a__b');
const tools = fc.array(toolName, { maxLength: 4 });

const gatewayInput = fc.record({
  prompt: fc.string(),
  systemPromptFile: word,
  sessionId: maybe(word),
  allowedTools: tools,
  maxTurns: fc.integer({ min: 1, max: 100 }),
  model: maybe(word),
});

const argsInput: fc.Arbitrary<ArgsInput> = fc.record({
  permissionMode: fc.constantFrom('ask', 'auto', 'allow-all'),
  model: maybe(fc.constantFrom('opus', 'sonnet')),
  maxTurns: maybe(fc.integer({ min: 1, max: 99 })),
  tools: maybe(fc.record({ allowed: maybe(tools), disallowed: maybe(tools) })),
  resume: maybe(fc.uuid()),
  fork: maybe(fc.boolean()),
  sessionId: maybe(fc.uuid()),
  outputSchema: maybe(fc.constant({ type: 'object' })),
  budgetUsd: maybe(fc.integer({ min: 1, max: 9 })),
  providerOptions: maybe(
    fc.record({ addDirs: fc.constant(['/a', '/b']), effort: fc.constant('low') }),
  ),
  rawArgs: maybe(fc.constant(['positional', '--raw'])),
  systemPromptFile: maybe(fc.constant('/tmp/system')),
  settingsFile: maybe(fc.constant('/tmp/settings')),
  mcpConfigFile: maybe(fc.constant('/tmp/mcp')),
});

describe('the command line of the runner', () => {
  test('has the prompt behind -p, asks for JSON, and joins the tools by comma', () => {
    fc.assert(
      fc.property(fc.string(), maybe(word), maybe(tools), (prompt, model, allowedTools) => {
        const args = runnerArgs({ prompt, model, allowedTools });
        expect(args.slice(0, 4)).toEqual(['-p', prompt, '--output-format', 'json']);
        const rest = args.slice(4);
        expect(valuesOf(rest, '--model')).toEqual(model === undefined ? [] : [model]);
        const joined = allowedTools?.length ? [allowedTools.join(',')] : [];
        expect(rest.filter((_, at) => rest[at - 1] === '--allowedTools')).toEqual(joined);
      }),
      RUNS,
    );
  });
});

describe('the command line of the gateway', () => {
  // Feature: multi-cli-backend, Property 1: Claude backend required flags
  test('always has the required flags, and one --allowedTools for each tool', () => {
    fc.assert(
      fc.property(gatewayInput, (input) => {
        const args = gatewayArgs(input);
        expect(args.slice(0, 4)).toEqual(['-p', input.prompt, '--output-format', 'json']);
        const flags = args.slice(4);
        expect(flags[0]).toBe('--dangerously-skip-permissions');
        const end = 1 + 2 * input.allowedTools.length;
        expect(flags.slice(1, end)).toEqual(
          input.allowedTools.flatMap((tool) => ['--allowedTools', tool]),
        );
        expect(flags.slice(end, end + 2)).toEqual([
          '--append-system-prompt-file',
          input.systemPromptFile,
        ]);
        expect(flags.slice(-2)).toEqual(['--max-turns', String(input.maxTurns)]);
      }),
      RUNS,
    );
  });

  // Feature: multi-cli-backend, Property 5: Session resume args across backends
  test('resumes exactly the session that is given', () => {
    fc.assert(
      fc.property(gatewayInput, fc.uuid(), (input, sessionId) => {
        const args = gatewayArgs({ ...input, prompt: 'p', sessionId });
        expect(valuesOf(args, '--resume')).toEqual([sessionId]);
        for (const none of [undefined, '']) {
          expect(gatewayArgs({ ...input, prompt: 'p', sessionId: none })).not.toContain('--resume');
        }
      }),
      RUNS,
    );
  });

  test('streams messages piece by piece when asked to', () => {
    const input = { systemPromptFile: 's', allowedTools: [], maxTurns: 1, streaming: true };
    expect(gatewayArgs(input).slice(0, 5)).toEqual([
      ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ]);
  });
});

describe('the command line of the agent runtime', () => {
  test('prints, appends the system prompt, and keeps the prompt away from flags that take a list', () => {
    fc.assert(
      fc.property(
        fc.string(),
        word,
        maybe(fc.record({ allowed: tools, disallowed: tools })),
        (prompt, systemPrompt, filter) => {
          const args = agentRuntimeArgs({ prompt, systemPrompt, tools: filter, maxTurns: 3 });
          expect(args.slice(0, 2)).toEqual(['--print', prompt]);
          const rest = args.slice(2);
          expect(rest.slice(-4)).toEqual([
            ...['--append-system-prompt', systemPrompt, '--max-turns', '3'],
          ]);
          expect(rest.slice(0, -4)).toEqual([
            ...(filter?.allowed ?? []).flatMap((tool) => ['--allowedTools', tool]),
            ...(filter?.disallowed ?? []).flatMap((tool) => ['--disallowedTools', tool]),
          ]);
        },
      ),
      RUNS,
    );
  });
});

describe('the command line of a conversation', () => {
  test('speaks stream-json both ways and asks through standard output', () => {
    fc.assert(
      fc.property(argsInput, (input) => {
        const args = liveArgs(input);
        expect(args.slice(0, 10)).toEqual([
          ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'],
          ...['--verbose', '--include-partial-messages', '--replay-user-messages'],
          ...['--permission-prompt-tool', 'stdio'],
        ]);
        expect(args.slice(args.length - (input.rawArgs?.length ?? 0))).toEqual(input.rawArgs ?? []);
        expect(valuesOf(args, '--model')).toEqual(input.model ? [input.model] : []);
        expect(valuesOf(args, '--max-budget-usd')).toEqual(
          input.budgetUsd ? [String(input.budgetUsd)] : [],
        );
      }),
      RUNS,
    );
  });

  test('bypasses permissions only for allow-all', () => {
    fc.assert(
      fc.property(argsInput, (input) => {
        const isBypass = input.permissionMode === 'allow-all';
        for (const args of [liveArgs(input), printArgs({ ...input, format: 'json' })]) {
          expect(args.includes('--dangerously-skip-permissions')).toBe(isBypass);
          expect(args.includes('--permission-mode')).toBe(!isBypass);
        }
      }),
      RUNS,
    );
  });

  test('forks only what it resumes, and gives an id only to a new session', () => {
    fc.assert(
      fc.property(argsInput, (input) => {
        const args = liveArgs(input);
        expect(valuesOf(args, '--resume')).toEqual(input.resume ? [input.resume] : []);
        expect(args.includes('--fork-session')).toBe(Boolean(input.resume && input.fork));
        const isNew = !input.resume || Boolean(input.fork);
        expect(valuesOf(args, '--session-id')).toEqual(
          input.sessionId && isNew ? [input.sessionId] : [],
        );
      }),
      RUNS,
    );
  });

  test('never ends with a flag that would take the arguments of the user for its list', () => {
    fc.assert(
      fc.property(argsInput, (input) => {
        const { rawArgs: _rawArgs, ...without } = input;
        const last = liveArgs(without).findLast((arg) => arg.startsWith('--'));
        expect(['--allowedTools', '--disallowedTools', '--mcp-config', '--add-dir']).not.toContain(
          last,
        );
      }),
      RUNS,
    );
  });
});

test("Claude's own interface gets the prompt last, even one that looks like a flag", () => {
  const args = terminalArgs({ permissionMode: 'auto', prompt: '--help', outputSchema: {} });
  expect(args).toEqual(['--permission-mode', 'acceptEdits', '--', '--help']);
});

function valuesOf(args: readonly string[], flag: string): string[] {
  return args.flatMap((arg, at) => (arg === flag ? [args[at + 1] ?? ''] : []));
}
