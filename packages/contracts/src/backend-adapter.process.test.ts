import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeDialects } from '@baton/agents/backends/claude/dialect';
import { codexDialects } from '@baton/agents/backends/codex/backend';
import { geminiDialects } from '@baton/agents/backends/gemini/backend';
import { printArgs as geminiArgs } from '@baton/agents/backends/gemini/drivers';
import { openCodeDialects } from '@baton/agents/backends/opencode/backend';
import { gatewayArgs as openCodeArgs } from '@baton/agents/backends/opencode/drivers';
import type { DialectEntry, StreamEnd } from '@baton/engine/definition/dialect';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { assertNothingSurvives } from '../../agent-tools/src/conformance/stage/stage.ts';
import { execArgs } from '../../agents/src/backends/codex/args.ts';
import { replayed } from '../../agents/src/testing/recordings.ts';
import { isRunning } from '../../process/src/testing.ts';
import {
  type BackendAdapterConfig,
  type BackendName,
  ClaudeCodeBackend,
  CodexBackend,
  createBackend,
  resolveBackendName,
} from './backend-adapter.ts';
import { gatewayArgs } from './claude-drivers.ts';
import { type BackendEventResult, eventResult } from './event-result.ts';
import { StandIns } from './testing.ts';

const standIns = new StandIns();
afterAll(() => standIns.remove());

const CLAUDE_ANSWER = JSON.stringify([
  { type: 'system', subtype: 'init', session_id: 'session-1' },
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'The answer.',
    session_id: 'session-1',
  },
]);
const CODEX_ANSWER = [
  { type: 'thread.started', thread_id: 'thread-1' },
  { type: 'turn.started' },
  { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'The answer.' } },
  { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
const GEMINI_ANSWER = JSON.stringify(
  { session_id: 'session-2', response: 'The answer.', stats: {} },
  null,
  2,
);
function openCodeLines(text: string, sessionID: string): string {
  const part = (type: string, more: object) => ({ type, sessionID, part: { sessionID, ...more } });
  const lines = [
    part('step_start', { id: 'p1', messageID: 'm1', type: 'step-start' }),
    part('text', { id: 'p2', messageID: 'm1', type: 'text', text }),
    part('step_finish', { id: 'p3', messageID: 'm1', type: 'step-finish', reason: 'stop' }),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
const OPENCODE_ANSWER = openCodeLines('The answer.', 'session-3');
const YOLO = { permissionMode: 'allow-all' } as const;
type Tested = { name: BackendName; dialects: readonly DialectEntry[]; answer: string };
const BACKENDS: readonly Tested[] = [
  { name: 'claude', dialects: claudeDialects, answer: CLAUDE_ANSWER },
  { name: 'codex', dialects: codexDialects, answer: CODEX_ANSWER },
  { name: 'gemini', dialects: geminiDialects, answer: GEMINI_ANSWER },
  { name: 'opencode', dialects: openCodeDialects, answer: OPENCODE_ANSWER },
];

function config(cliPath: string, more: Partial<BackendAdapterConfig> = {}): BackendAdapterConfig {
  return {
    cliPath,
    workingDir: standIns.folder,
    queryTimeoutMs: 20_000,
    allowedTools: [],
    maxTurns: 25,
    ...more,
  };
}

function parse(
  dialects: readonly DialectEntry[],
  stdout: string,
  end: Partial<StreamEnd>,
): BackendEventResult {
  const lines = stdout === '' ? [] : stdout.trimEnd().split('\n');
  const backend = { id: 'test', label: 'The agent' };
  const whole = { code: 0, stderr: '', ...end };
  const { result } = replayed(backend, dialects, { lines, end: whole });
  return eventResult(result, whole.stderr);
}

describe('properties', () => {
  // Feature: multi-cli-backend, Property 1: Claude backend required flags
  test('Claude always gets the required flags', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ minLength: 1 }),
        fc.array(fc.string({ minLength: 1 })),
        fc.integer({ min: 1 }),
        (prompt, file, tools, maxTurns) => {
          const args = gatewayArgs({
            prompt,
            systemPromptFile: file,
            allowedTools: tools,
            maxTurns,
          });
          expect(args.slice(0, 2)).toEqual(['-p', prompt]);
          expect(pairs(args)).toContainEqual(['--output-format', 'json']);
          expect(args).toContain('--dangerously-skip-permissions');
          expect(pairs(args)).toContainEqual(['--append-system-prompt-file', file]);
          expect(pairs(args)).toContainEqual(['--max-turns', String(maxTurns)]);
          expect(
            args.filter((arg, index) => arg === '--allowedTools' && index > 1).length,
          ).toBeGreaterThanOrEqual(tools.length);
          for (const tool of tools) expect(pairs(args)).toContainEqual(['--allowedTools', tool]);
        },
      ),
      { numRuns: 200 },
    );
  });

  // Feature: multi-cli-backend, Property 2: Codex backend required flags
  test('Codex always gets the required flags', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (prompt, cwd) => {
        const args = execArgs({ prompt, cwd });
        expect(args[0]).toBe('exec');
        expect(args).toContain('--json');
        expect(args).toContain('--dangerously-bypass-approvals-and-sandbox');
        expect(pairs(args)).toContainEqual(['--cd', cwd]);
        expect(args.at(-1)).toBe(prompt);
      }),
      { numRuns: 200 },
    );
  });

  // Feature: multi-cli-backend, Property 3: Gemini backend required flags
  test('Gemini always gets the required flags', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (prompt) => {
        const args = geminiArgs(YOLO, { format: 'json', prompt });
        expect(args.at(-1)).toBe(prompt);
        expect(pairs(args)).toContainEqual(['--output-format', 'json']);
        expect(pairs(args)).toContainEqual(['--approval-mode', 'yolo']);
      }),
      { numRuns: 200 },
    );
  });

  // Feature: multi-cli-backend, Property 4: OpenCode backend required flags
  test('OpenCode always gets the required flags', () => {
    const given = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
    fc.assert(
      fc.property(given, (model) => {
        const args = openCodeArgs({ ...YOLO, model }, undefined);
        expect(args[0]).toBe('run');
        expect(pairs(args)).toContainEqual(['--format', 'json']);
        if (model === undefined) expect(args).not.toContain('--model');
        else expect(pairs(args)).toContainEqual(['--model', model]);
      }),
      { numRuns: 200 },
    );
  });

  // Feature: multi-cli-backend, Property 5: Session resume args across backends
  test('session flags appear exactly when there is a session', () => {
    const id = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
    fc.assert(
      fc.property(id, (sessionId) => {
        const claude = gatewayArgs({
          prompt: 'x',
          systemPromptFile: 'f',
          allowedTools: [],
          maxTurns: 1,
          sessionId,
        });
        const codex = execArgs({ prompt: 'x', cwd: '/w', sessionId });
        const openCode = openCodeArgs(YOLO, sessionId);
        const gemini = geminiArgs(YOLO, { format: 'json', prompt: 'x', resume: sessionId });
        if (sessionId === undefined) {
          expect(claude).not.toContain('--resume');
          expect(codex).not.toContain('resume');
          expect(gemini).not.toContain('--resume');
          expect(openCode).not.toContain('--session');
          expect(openCode).not.toContain('--continue');
          return;
        }
        expect(pairs(claude)).toContainEqual(['--resume', sessionId]);
        expect(pairs(gemini)).toContainEqual(['--resume', sessionId]);
        expect(openCode.slice(-3)).toEqual(['--session', sessionId, '--continue']);
        expect(codex.slice(-3)).toEqual(['resume', sessionId, 'x']);
      }),
      { numRuns: 200 },
    );
  });

  // Feature: multi-cli-backend, Property 6: Output parsing extracts correct fields
  test('the answer and the session come out of any valid output', () => {
    const word = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(word, fc.uuid(), fc.boolean(), (text, id, asArray) => {
        const result = {
          type: 'result',
          subtype: 'success',
          is_error: false,
          result: text,
          session_id: id,
        };
        const claude = asArray
          ? [{ type: 'system', subtype: 'init', session_id: id }, result]
          : result;
        expect(parse(claudeDialects, JSON.stringify(claude), {})).toEqual({
          responseText: text,
          sessionId: id,
          isError: false,
        });
        expect(parse(openCodeDialects, openCodeLines(text, id), {})).toEqual({
          responseText: text,
          sessionId: id,
          isError: false,
        });
        const gemini = { session_id: id, response: text, stats: {} };
        expect(parse(geminiDialects, JSON.stringify(gemini, null, asArray ? 2 : 0), {})).toEqual({
          responseText: text,
          sessionId: id,
          isError: false,
        });
        const codex = [
          { type: 'thread.started', thread_id: id },
          { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } },
          { type: 'turn.completed', usage: {} },
        ];
        const lines = codex.map((line) => JSON.stringify(line)).join('\n');
        expect(parse(codexDialects, lines, {})).toEqual({
          responseText: text,
          sessionId: id,
          isError: false,
        });
      }),
      { numRuns: 200 },
    );
  });

  // Feature: multi-cli-backend, Property 7: Backend name resolution
  test('only the four names are backends, and none means Claude', () => {
    expect(resolveBackendName(undefined)).toBe('claude');
    for (const name of ['claude', 'codex', 'gemini', 'opencode'])
      expect(resolveBackendName(name)).toBe(name);
    fc.assert(
      fc.property(fc.string(), (raw) => {
        fc.pre(!['claude', 'codex', 'gemini', 'opencode'].includes(raw));
        expect(() => resolveBackendName(raw)).toThrow(/claude, codex, gemini, opencode/);
      }),
      { numRuns: 200 },
    );
    expect(() => resolveBackendName('claude-code')).toThrow();
    expect(() => resolveBackendName('')).toThrow();
  });

  // Feature: multi-cli-backend, Property 8: Non-zero exit code produces error result
  test('a non-zero exit code is an error with the text of stderr', () => {
    const stderr = fc.string({ minLength: 1, maxLength: 500 }).filter((text) => text.trim() !== '');
    const code = fc.integer({ min: 1, max: 255 });
    fc.assert(
      fc.property(code, stderr, fc.constantFrom(...BACKENDS), (exit, words, backend) => {
        for (const printed of ['', backend.answer]) {
          const { isError, responseText } = parse(backend.dialects, printed, {
            code: exit,
            stderr: words,
          });
          expect(isError).toBe(true);
          expect(responseText).toContain(words);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('the adapters', () => {
  test('run a program from end to end: Claude', async () => {
    const answer = await createBackend('claude', config(standIns.printing(CLAUDE_ANSWER))).execute(
      'Hi',
      'Be kind.',
    );
    expect(answer).toEqual({ responseText: 'The answer.', sessionId: 'session-1', isError: false });
  });

  test('run a program from end to end: Codex', async () => {
    const answer = await createBackend('codex', config(standIns.printing(CODEX_ANSWER))).execute(
      'Hi',
      'Be kind.',
    );
    expect(answer).toEqual({ responseText: 'The answer.', sessionId: 'thread-1', isError: false });
  });

  test('run a program from end to end: Gemini', async () => {
    const answer = await createBackend('gemini', config(standIns.printing(GEMINI_ANSWER))).execute(
      'Hi',
      'Be kind.',
    );
    expect(answer).toEqual({ responseText: 'The answer.', sessionId: 'session-2', isError: false });
  });

  test('run a program from end to end: OpenCode, with both prompts on standard input', async () => {
    const program = standIns.program(`
      const fs = require('node:fs');
      const said = fs.readFileSync(0, 'utf8') + '|' + process.argv.slice(2).join(' ');
      const sessionID = 'session-3';
      const line = (type, part) => console.log(JSON.stringify({ type, sessionID, part: { sessionID, ...part } }));
      line('text', { id: 'p', messageID: 'm', type: 'text', text: said });
      line('step_finish', { id: 'q', messageID: 'm', type: 'step-finish', reason: 'stop' });`);
    const answer = await createBackend('opencode', config(program, { model: 'a/m' })).execute(
      'Hi',
      'Be kind.',
      'session-0',
    );
    expect(answer).toEqual({
      responseText:
        'Be kind.\n\nHi|run --format json --thinking --auto --model a/m --session session-0 --continue',
      sessionId: 'session-3',
      isError: false,
    });
  });

  test.each([undefined, 2])('read an answer of Gemini without a session', async (spaces) => {
    const answer = JSON.stringify({ response: 'Hi.', stats: {} }, null, spaces);
    const program = standIns.program(`process.stdout.write(${JSON.stringify(answer)});`);
    const gemini = createBackend('gemini', config(program));
    expect(await gemini.execute('Hi', '')).toMatchObject({ responseText: 'Hi.', isError: false });
  });

  test('put the system prompt in front of the prompt for Gemini', async () => {
    const program = standIns.program(`
      const response = process.argv.slice(2).join(' ');
      process.stdout.write(JSON.stringify({ session_id: 's', response, stats: {} }));`);
    const { responseText } = await createBackend('gemini', config(program, { model: 'm' })).execute(
      'Hi',
      'Be kind.',
      'session-0',
    );
    expect(responseText).toMatch(
      /^--output-format json --approval-mode yolo --model m --resume session-0 Be kind\.\n\nHi$/,
    );
  });

  test('hand Claude exactly the command line of the contract, and a file with the system prompt', async () => {
    const seen = join(standIns.folder, 'seen.json');
    const program = standIns.program(`
      const fs = require('node:fs');
      const args = process.argv.slice(2);
      const file = args[args.indexOf('--append-system-prompt-file') + 1];
      fs.writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ args, system: fs.readFileSync(file, 'utf8'), file }));
      process.stdout.write(${JSON.stringify(CLAUDE_ANSWER)});`);
    const backend = new ClaudeCodeBackend(
      config(program, { allowedTools: ['Read', 'Edit'], maxTurns: 7, model: 'm' }),
    );
    await backend.execute('Hi', 'Be kind.', 'session-0');
    const { args, system, file } = JSON.parse(readFileSync(seen, 'utf8'));
    expect(system).toBe('Be kind.');
    expect(existsSync(file), 'the file is gone afterwards').toBe(false);
    expect(args).toEqual(
      gatewayArgs({
        prompt: 'Hi',
        systemPromptFile: file,
        sessionId: 'session-0',
        allowedTools: ['Read', 'Edit'],
        maxTurns: 7,
        model: 'm',
      }),
    );
  });

  test('a prompt that starts with a dash or is very long is sent on stdin', async () => {
    const program = standIns.program(`
      let input = '';
      process.stdin.on('data', (chunk) => { input += chunk; }).on('end', () => {
        const result = String(input.length) + ' ' + process.argv.slice(2, 4).join(' ');
        process.stdout.write(JSON.stringify({ type: 'result', is_error: false, result, session_id: 's' }));
      });`);
    const backend = new ClaudeCodeBackend(config(program));
    expect((await backend.execute('-v', '')).responseText).toBe('2 -p --output-format');
    expect((await backend.execute('x'.repeat(200_000), '')).responseText).toBe(
      '200000 -p --output-format',
    );
  });

  test('pass each text chunk to the callback as it arrives', async () => {
    const line = (event: object) =>
      `${JSON.stringify({ type: 'stream_event', session_id: 's', event })}\n`;
    const stream = [
      line({ type: 'message_start', message: { id: 'm1', usage: {} } }),
      line({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      line({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'The ' } }),
      line({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: 'answer.' },
      }),
      `${JSON.stringify({ type: 'assistant', session_id: 's', message: { id: 'm1', content: [{ type: 'text', text: 'The answer.' }] } })}\n`,
      `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'The answer.', session_id: 's' })}\n`,
    ].join('');
    const pieces: string[] = [];
    const backend = new ClaudeCodeBackend(config(standIns.printing(stream)));
    const answer = await backend.execute(
      'Hi',
      '',
      undefined,
      async (text) => void pieces.push(text),
    );
    expect(pieces).toEqual(['The ', 'answer.']);
    expect(answer.responseText).toBe('The answer.');
  });

  test('pass the whole text at once for an agent without streaming', async () => {
    const pieces: string[] = [];
    const backend = new CodexBackend(config(standIns.printing(CODEX_ANSWER)));
    await backend.execute('Hi', '', undefined, async (text) => void pieces.push(text));
    expect(pieces).toEqual(['The answer.']);
  });

  test.each(BACKENDS)('stop $name and everything it started', async ({ name }) => {
    const mark = join(standIns.folder, `child-of-${name}`);
    const program = standIns.script(`
env | sed -n 's/^BATON_RUN_\\(.*\\)=1$/\\1/p' > '${mark}.run'
sleep 600 &
printf %s "$!" > '${mark}.new'
mv '${mark}.new' '${mark}'
wait`);
    const stopper = new AbortController();
    const running = createBackend(name, config(program)).execute(
      'Hi',
      '',
      undefined,
      async () => {},
      { signal: stopper.signal },
    );
    await vi.waitFor(() => expect(existsSync(mark)).toBe(true));
    const child = readFileSync(mark, 'utf8');
    expect(isRunning(child)).toBe(true);
    stopper.abort();
    const mayHaveActed = name === 'codex' || name === 'opencode';
    expect(await running).toEqual({
      isError: true,
      responseText: 'Stopped',
      failure: { code: 'interrupted', isTransient: false, mayHaveActed },
    });
    expect(isRunning(child)).toBe(false);
    const runId = readFileSync(`${mark}.run`, 'utf8').trim();
    expect(runId).not.toBe('');
    assertNothingSurvives(runId);
  });

  test.each(BACKENDS)('do not start $name for a run that was stopped before', async ({ name }) => {
    const mark = join(standIns.folder, `start-of-${name}`);
    const program = standIns.script(`touch '${mark}'`);
    const backend = createBackend(name, config(program));
    const signal = AbortSignal.abort();
    expect(await backend.execute('Hi', '', undefined, undefined, { signal })).toEqual({
      isError: true,
      responseText: 'Stopped',
      failure: { code: 'interrupted', isTransient: false, mayHaveActed: false },
    });
    expect(existsSync(mark)).toBe(false);
  });

  test.each([
    { name: 'claude', size: 2, mayHaveActed: false },
    { name: 'claude', size: 200_000, mayHaveActed: false },
    { name: 'gemini', size: 2, mayHaveActed: false },
    // It does not stream the answer to a prompt that is too long for an argument.
    { name: 'gemini', size: 200_000, mayHaveActed: true },
    { name: 'codex', size: 2, mayHaveActed: true },
    { name: 'opencode', size: 2, mayHaveActed: true },
  ] as const)('tell whether $name may have acted on $size characters', async (tested) => {
    const { name, size, mayHaveActed } = tested;
    const prompt = 'x'.repeat(size);
    const program = standIns.printing('', 'killed', 137);
    const backend = createBackend(name, config(program));
    const { failure: plain } = await backend.execute(prompt, '');
    const { failure: streamed } = await backend.execute(prompt, '', undefined, async () => {});
    expect([plain?.mayHaveActed, streamed?.mayHaveActed]).toEqual([true, mayHaveActed]);
  });

  test('kill a query that times out and report it', async () => {
    const slow = standIns.program('setInterval(() => {}, 1000);');
    for (const { name } of BACKENDS) {
      const answer = await createBackend(name, config(slow, { queryTimeoutMs: 500 })).execute(
        'Hi',
        '',
      );
      expect(answer).toMatchObject({ isError: true, responseText: 'Query timed out' });
    }
  });

  test.each(BACKENDS)('end $name with SIGTERM when its time is up', async ({ name }) => {
    const mark = join(standIns.folder, `signals-of-${name}`);
    // A shell listens to signals long before the time is up, also on a busy machine.
    const program = standIns.script(`
trap "printf SIGINT >> '${mark}'; exit 1" INT
trap "printf SIGTERM >> '${mark}'; exit 1" TERM
while :; do sleep 0.02; done`);
    const answer = await createBackend(name, config(program, { queryTimeoutMs: 1000 })).execute(
      'Hi',
      '',
    );
    expect(answer).toMatchObject({ isError: true, responseText: 'Query timed out' });
    expect(readFileSync(mark, 'utf8')).toBe('SIGTERM');
  });

  test.each(BACKENDS)('report standard error of $name after a readable answer', async (tested) => {
    const program = standIns.printing(tested.answer, 'warning: disk is on fire\n', 3);
    const answer = await createBackend(tested.name, config(program)).execute('Hi', '');
    expect(answer).toMatchObject({ isError: true, responseText: 'warning: disk is on fire' });
  });

  test('say when the output is not JSON', async () => {
    for (const { name } of BACKENDS) {
      const answer = await createBackend(name, config(standIns.printing('{"type": oops'))).execute(
        'Hi',
        '',
      );
      expect(answer).toMatchObject({ isError: true, responseText: 'Failed to parse CLI output' });
    }
  });

  test('return both ends of a long stderr', async () => {
    const words = `${'x'.repeat(800)} the reason`;
    const answer = await createBackend('claude', config(standIns.printing('', words, 1))).execute(
      'Hi',
      '',
    );
    expect(answer.isError).toBe(true);
    expect(answer.responseText).toHaveLength(500);
    expect(answer.responseText?.endsWith('the reason')).toBe(true);
  });

  test.each(BACKENDS)('validate reports whether $name can be run', async ({ name, answer }) => {
    const validate = (cliPath: string) => createBackend(name, config(cliPath)).validate();
    const program = standIns.printing(answer);
    expect(await validate(program)).toBe(true);
    expect(await validate(join(standIns.folder, 'nowhere'))).toBe(false);
    expect(await validate(standIns.folder)).toBe(false);
    chmodSync(program, 0o644);
    expect(await validate(program), 'not executable').toBe(false);
  });

  test('a missing program is an error result, not an exception', async () => {
    const answer = await createBackend('claude', config(join(standIns.folder, 'nowhere'))).execute(
      'Hi',
      '',
    );
    expect(answer.isError).toBe(true);
    expect(answer.responseText).toContain('nowhere');
  });

  test('an option the backend cannot do is a warning', async () => {
    const warn = vi.fn();
    const backend = new CodexBackend(
      config(standIns.printing(CODEX_ANSWER), { allowedTools: ['Read'] }),
      { warn },
    );
    expect((await backend.execute('Hi', '')).isError).toBe(false);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('ALLOWED_TOOLS'));
  });

  test('names are those of the contract', () => {
    expect(createBackend('claude', config('claude')).name()).toBe('claude');
    expect(createBackend('codex', config('codex')).name()).toBe('codex');
    expect(createBackend('gemini', config('gemini')).name()).toBe('gemini');
    expect(createBackend('opencode', config('opencode')).name()).toBe('opencode');
  });
});

function pairs(args: readonly string[]): [string, string | undefined][] {
  return args.map((arg, index) => [arg, args[index + 1]]);
}
