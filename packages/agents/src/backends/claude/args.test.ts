import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ArgsInput, liveArgs, plainArgs, printArgs, terminalArgs } from './args.ts';

const RUNS = { numRuns: 200 };
const word = fc.string({ minLength: 1 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const toolName = fc.constantFrom('Bash', 'Edit', 'Read', 'Bash(git log:*)', 'mcp__a__b');
const tools = fc.array(toolName, { maxLength: 4 });

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

describe('the command line that prints nothing but the answer', () => {
  test('prints, appends the system prompt, and keeps the prompt away from list flags', () => {
    fc.assert(
      fc.property(
        fc.string(),
        word,
        maybe(fc.record({ allowed: tools, disallowed: tools })),
        (prompt, systemPrompt, filter) => {
          const args = plainArgs({ prompt, systemPrompt, tools: filter, maxTurns: 3 });
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

  test('forks only a resumed session, and sets an id only for a new one', () => {
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

  test("never ends with a list flag that would consume the user's arguments", () => {
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
