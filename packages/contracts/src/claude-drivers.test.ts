import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gatewayArgs, runnerArgs } from './claude-drivers.ts';

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
  test('resumes exactly the given session', () => {
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

function valuesOf(args: readonly string[], flag: string): string[] {
  return args.flatMap((arg, at) => (arg === flag ? [args[at + 1] ?? ''] : []));
}
