import { promptArgument } from '@baton/engine/kit/prompt-argument';
import { toml } from '@baton/engine/kit/toml';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXEC_COMMANDS, type ExecRequest, execArgs, systemPromptFits } from './args.ts';

const RUNS = { numRuns: 200 };
const text = fc.string({ unit: 'binary' });
const folder = fc.string().map((name) => `/${name}`);
const option = fc.option(fc.string({ minLength: 1 }), { nil: undefined });

describe('the command line of the gateway', () => {
  // Feature: multi-cli-backend, Property 2: Codex backend required flags
  test('has the required flags for any prompt and working directory', () => {
    fc.assert(
      fc.property(text, folder, option, option, option, (prompt, cwd, model, system, sessionId) => {
        const args = execArgs({ prompt, cwd, model, systemPrompt: system, sessionId });
        expect(args.slice(0, 5)).toEqual([
          'exec',
          '--json',
          '--dangerously-bypass-approvals-and-sandbox',
          '--cd',
          cwd,
        ]);
        expect(args.at(-1)).toBe(prompt);
        expect(valueAfter(args, '--model')).toBe(model);
      }),
      RUNS,
    );
  });

  // Feature: multi-cli-backend, Property 5: Session resume args across backends
  test('resumes with the session id, and without one has no session arguments', () => {
    fc.assert(
      fc.property(
        text,
        folder,
        fc.option(fc.uuid(), { nil: undefined }),
        (prompt, cwd, sessionId) => {
          const args = execArgs({ prompt, cwd, sessionId }).slice(0, -1);
          const rest = args.slice(args.indexOf(cwd) + 1);
          expect(rest).toEqual(sessionId ? ['resume', sessionId] : []);
        },
      ),
      RUNS,
    );
  });

  test('is the one of the specification', () => {
    expect(
      execArgs({ cwd: '/w', prompt: 'Go.', model: 'gpt', systemPrompt: 'Be "kind".' }),
    ).toEqual([
      ...['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '--cd', '/w'],
      ...['--model', 'gpt', '-c', 'developer_instructions="Be \\"kind\\"."', 'Go.'],
    ]);
    expect(execArgs({ cwd: '/w', prompt: 'Go on.', sessionId: 'id' })).toEqual([
      ...['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '--cd', '/w'],
      ...['resume', 'id', 'Go on.'],
    ]);
  });
});

test('all flags are before the word resume, which rejects most flags after it', () => {
  const request: ExecRequest = {
    cwd: '/w',
    prompt: 'Go.',
    access: 'workspace-write',
    sessionId: 'id',
    fork: true,
    config: ['a=1'],
    images: ['/i.png'],
    schemaFile: '/s.json',
    rawArgs: ['--oss'],
  };
  expect(execArgs(request)).toEqual([
    ...['exec', '--json', '--skip-git-repo-check', '--sandbox', 'workspace-write', '--cd', '/w'],
    ...['-c', 'a=1', '--image=/i.png', '--output-schema', '/s.json', '--oss', 'fork', 'id', 'Go.'],
  ]);
});

test.each([
  ['-', true],
  ['--help', true],
  ['- item', true],
  ['resume', true],
  ['help', true],
  ['resume the work', false],
  ['Hello - there', false],
  ['x'.repeat(100_000), false],
  ['x'.repeat(100_001), true],
  ['日'.repeat(40_000), true],
])('the prompt %.20s goes through standard input: %s', (prompt, expected) => {
  expect(promptArgument(prompt, EXEC_COMMANDS).argument === undefined).toBe(expected);
});

test('a system prompt counts with its escapes', () => {
  expect(systemPromptFits('x'.repeat(99_000))).toBe(true);
  expect(systemPromptFits('\n'.repeat(99_000))).toBe(false);
  expect(Buffer.byteLength(toml('\n'.repeat(99_000)))).toBeGreaterThan(100_000);
});

function valueAfter(args: readonly string[], flag: string): string | undefined {
  const index = args.indexOf(flag);
  return index === -1 ? undefined : args[index + 1];
}
