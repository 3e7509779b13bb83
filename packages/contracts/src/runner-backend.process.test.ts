import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { demoBackend } from '../../agents/src/testing/built-in-backends.ts';
import { runnerArgs } from './claude-drivers.ts';
import { claudeForRunner } from './contract-backends.ts';
import {
  normalizeExecutionBackend,
  parseClaudeCliOutput,
  type RunnerExecutionRequest,
  runnerBackend,
  withExecutionDefaults,
} from './runner-backend.ts';
import { StandIns } from './testing.ts';

const standIns = new StandIns();
afterAll(() => standIns.remove());

function request(
  prompt: string,
  more: Partial<RunnerExecutionRequest> = {},
): RunnerExecutionRequest {
  return {
    taskId: 't1',
    taskType: 'task',
    packet: {},
    prompt,
    startedAt: Date.now(),
    abortSignal: new AbortController().signal,
    ...more,
  };
}

describe('a backend as the runner sees it', () => {
  const demo = runnerBackend(demoBackend(), {
    defaults: { providerOptions: { pace: 0 }, cwd: standIns.folder },
  });

  test('accepts tasks for any of its names and no others', () => {
    expect(demo.canExecute('demo')).toBe(true);
    expect(demo.canExecute('claude-cli')).toBe(false);
    const claude = runnerBackend(claudeForRunner());
    for (const name of ['claude-cli', 'claude', 'Claude-Code'])
      expect(claude.canExecute(name)).toBe(true);
    expect(normalizeExecutionBackend(' Codex ')).toBe('codex-cli');
  });

  test('finds Claude next to the runner, unless a task works there', async () => {
    const runner = mkdtempSync(join(standIns.folder, 'runner-'));
    const elsewhere = mkdtempSync(join(standIns.folder, 'task-'));
    mkdirSync(join(runner, 'node_modules/.bin'), { recursive: true });
    const local = join(runner, 'node_modules/.bin/claude');
    symlinkSync(
      standIns.printing(JSON.stringify({ type: 'result', result: 'From beside.' })),
      local,
    );
    vi.stubEnv('BATON_CLAUDE_BIN', undefined);
    const claude = claudeForRunner('', runner);
    expect(await claude.probe()).toMatchObject({ installed: true, path: local });
    const saidIn = async (cwd: string) =>
      (await runnerBackend(claude, { defaults: { cwd } }).execute(request('Hi'))).output;
    expect(await saidIn(elsewhere)).toBe('From beside.');
    expect(await saidIn(standIns.folder)).not.toBe('From beside.');
    expect(await saidIn(elsewhere)).not.toBe('From beside.');
    expect((await claude.probe()).path).not.toBe(local);
    vi.unstubAllEnvs();
  });

  test('reports the output', async () => {
    const result = await demo.execute(request('demo:garbage'));
    expect(result).toMatchObject({
      status: 'done',
      output: 'That was garbage.',
      tokensUsed: 3,
      costUsd: 0,
    });
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
  });

  test('reports an error with its message', async () => {
    const result = await demo.execute(request('demo:fail'));
    expect(result).toMatchObject({
      status: 'failed',
      output: 'The demo agent failed because it was asked to.',
    });
  });

  test('reports an aborted task as cancelled', async () => {
    const abort = new AbortController();
    const pending = demo.execute(
      request('demo:script [{"stall":true}]', { abortSignal: abort.signal }),
    );
    abort.abort();
    expect(await pending).toMatchObject({
      status: 'cancelled',
      output: 'Cancelled by user request',
    });
  });

  test('reads model, tools, timeout and schema from the packet', async () => {
    const slow = await demo.execute(
      request('demo:stall', { packet: { execution: { timeoutSec: 0.3 } } }),
    );
    expect(slow.status).toBe('failed');
    const policy = await demo.execute(
      request('demo:stall', { packet: { policy: { taskTimeoutSeconds: 0.3 } } }),
    );
    expect(policy.status).toBe('failed');
    const schema = JSON.stringify({ type: 'object' });
    const wrong = await demo.execute(
      request('demo:garbage', { packet: { execution: { outputSchemaJson: schema } } }),
    );
    expect(wrong).toMatchObject({ status: 'failed', output: 'The answer is not JSON.' });
    const model = await demo.execute(request('Hi', { packet: { execution: { model: 'm' } } }));
    expect(model.output).toContain('model');
  });

  test('runs Claude with exactly the command line of the contract', async () => {
    const program = standIns.program(
      'process.stdout.write(JSON.stringify({ type: "result", is_error: false, session_id: "s", result: JSON.stringify(process.argv.slice(2)) }));',
    );
    const claude = runnerBackend(claudeForRunner(program), { defaults: { cwd: standIns.folder } });
    const packet = { execution: { model: 'm', allowedTools: ['Read', 'Edit'] } };
    const { output } = await claude.execute(request('Hi', { packet }));
    expect(JSON.parse(output ?? '')).toEqual(
      runnerArgs({ prompt: 'Hi', model: 'm', allowedTools: ['Read', 'Edit'] }),
    );
    expect(JSON.parse(output ?? '')).toEqual([
      '-p',
      'Hi',
      '--output-format',
      'json',
      '--model',
      'm',
      '--allowedTools',
      'Read,Edit',
    ]);
  });

  test('keeps the defaults of the runner for missing fields', async () => {
    const program = standIns.program(
      'process.stdout.write(JSON.stringify({ type: "result", is_error: false, session_id: "s", result: JSON.stringify(process.argv.slice(2)) }));',
    );
    const defaults = { cwd: standIns.folder, model: 'usual', tools: { allowed: ['Read'] } };
    const claude = runnerBackend(claudeForRunner(program), { defaults });
    const { output } = await claude.execute(request('Hi'));
    expect(JSON.parse(output ?? '')).toEqual(
      runnerArgs({ prompt: 'Hi', model: 'usual', allowedTools: ['Read'] }),
    );
    const slow = runnerBackend(demoBackend(), { defaults: { timeouts: { totalMs: 300 } } });
    expect(await slow.execute(request('demo:stall'))).toMatchObject({ status: 'failed' });
  });

  test.each(['{', '[]', '"text"'])('fails a task with the output schema %s', async (schema) => {
    const packet = { execution: { outputSchemaJson: schema } };
    expect(await demo.execute(request('Hi', { packet }))).toMatchObject({
      status: 'failed',
      output: 'packet.execution.outputSchemaJson is not a JSON object.',
    });
  });

  test('accepts tasks for every alias of the names it handles', () => {
    const backend = runnerBackend(demoBackend(), { handles: ['claude', 'codex-cli'] });
    for (const name of ['claude', 'claude-cli', 'codex', 'Codex-CLI']) {
      expect(backend.canExecute(name), name).toBe(true);
    }
    expect(backend.canExecute('demo')).toBe(false);
  });

  test('names CLAUDE_BIN when it leads nowhere', async () => {
    vi.stubEnv('CLAUDE_BIN', '/nowhere/claude');
    const claude = runnerBackend(claudeForRunner(), { defaults: { cwd: standIns.folder } });
    const { output } = await claude.execute(request('Hi'));
    vi.unstubAllEnvs();
    expect(output).toContain('CLAUDE_BIN: /nowhere/claude does not exist');
  });

  test('reports all of standard error, from its first line on', async () => {
    const words = `FIRST LINE\n${'x'.repeat(800)}\nLAST LINE`;
    const claude = runnerBackend(claudeForRunner(standIns.printing('', words, 1)), {
      defaults: { cwd: standIns.folder },
    });
    expect(await claude.execute(request('Hi'))).toMatchObject({ status: 'failed', output: words });
  });

  test('reports standard error of a Claude that exits with a code', async () => {
    const claude = runnerBackend(claudeForRunner(standIns.printing('', 'it broke', 1)), {
      defaults: { cwd: standIns.folder },
    });
    expect(await claude.execute(request('Hi'))).toMatchObject({
      status: 'failed',
      output: 'it broke',
    });
  });
});

describe('Claude as the runner sees it', () => {
  const RESULT = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Right.',
    session_id: 's',
    total_cost_usd: 0.25,
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 3 },
  };

  test('succeeds with whatever was printed', async () => {
    expect(await printing('just text\n')).toMatchObject({ status: 'done', output: 'just text' });
    expect(await printing('two\n\nlines\n')).toMatchObject({ output: 'two\n\nlines' });
    expect(await printing('{\n  "a": 1\n}')).toMatchObject({
      status: 'done',
      output: '{\n  "a": 1\n}',
    });
    expect(await printing('')).toMatchObject({ status: 'done', output: '(empty response)' });
    const note = await printing('note: hello {"response":"from response"} tail');
    expect(note).toMatchObject({ status: 'done', output: 'from response' });
    expect(note).not.toHaveProperty('tokensUsed');
    expect(note).not.toHaveProperty('costUsd');
  });

  test.each([
    ['an object', JSON.stringify(RESULT)],
    ['an array', JSON.stringify([{ type: 'system' }, RESULT])],
    ['an object among noise', `npm warn x\n${JSON.stringify(RESULT, null, 2)}\nbye`],
  ])('counts tokens and cost in %s', async (_name, stdout) => {
    expect(await printing(stdout)).toMatchObject({
      status: 'done',
      output: 'Right.',
      tokensUsed: 18,
      costUsd: 0.25,
    });
  });

  test('fails with stderr, or with stdout, when the exit code is not 0', async () => {
    expect(await printing('out', 'err\n', 3)).toMatchObject({ status: 'failed', output: 'err' });
    expect(await printing('out\n', '', 3)).toMatchObject({ status: 'failed', output: 'out' });
    expect(await printing('out', '', 143)).toMatchObject({ status: 'failed', output: 'out' });
    expect(await printing('', '', 3)).toMatchObject({
      status: 'failed',
      output: 'Claude Code exited with code 3.',
    });
  });

  test.each([0, 1])(
    'fails with its own message when its result is an error, exit code %i',
    async (code) => {
      const failed = { ...RESULT, is_error: true, result: 'Not logged in · Please run /login' };
      expect(await printing(JSON.stringify(failed), '', code)).toMatchObject({
        status: 'failed',
        output: 'Not logged in · Please run /login',
        tokensUsed: 18,
      });
      const run = claudeForRunner(standIns.printing(JSON.stringify(failed), '', code)).run({
        prompt: 'Hi',
        cwd: standIns.folder,
      });
      expect((await run.result).error?.code).toBe('auth_missing');
      const turns = {
        ...RESULT,
        subtype: 'error_max_turns',
        result: undefined,
        errors: ['Enough.'],
      };
      expect(await printing(JSON.stringify(turns), '', code)).toMatchObject({
        status: 'failed',
        output: 'Enough.',
      });
    },
  );

  test('names the session', async () => {
    const run = claudeForRunner(standIns.printing(JSON.stringify(RESULT))).run({
      prompt: 'Hi',
      cwd: standIns.folder,
    });
    expect(await run.result).toMatchObject({ nativeSessionId: 's', output: 'Right.' });
  });

  test('is sent SIGTERM when its task is aborted, and is cancelled', async () => {
    const mark = `${standIns.folder}/signals`;
    const program = standIns.program(`
      const { appendFileSync } = require('node:fs');
      for (const signal of ['SIGINT', 'SIGTERM'])
        process.on(signal, () => { appendFileSync(${JSON.stringify(mark)}, signal); process.exit(1); });
      appendFileSync(${JSON.stringify(mark)}, 'up ');
      setInterval(() => {}, 1000);`);
    const abort = new AbortController();
    const pending = runnerBackend(claudeForRunner(program), {
      defaults: { cwd: standIns.folder },
    }).execute(request('Hi', { abortSignal: abort.signal }));
    await vi.waitFor(() => expect(existsSync(mark)).toBe(true), 10_000);
    abort.abort();
    expect(await pending).toMatchObject({
      status: 'cancelled',
      output: 'Cancelled by user request',
    });
    expect(readFileSync(mark, 'utf8')).toBe('up SIGTERM');
  });

  function printing(stdout: string, stderr = '', exit = 0) {
    const claude = claudeForRunner(standIns.printing(stdout, stderr, exit));
    return runnerBackend(claude, { defaults: { cwd: standIns.folder } }).execute(request('Hi'));
  }
});

describe('withExecutionDefaults', () => {
  test('fills in empty output and the duration', () => {
    const startedAt = Date.now() - 1000;
    expect(withExecutionDefaults({ status: 'done' }, startedAt).output).toBe('(empty response)');
    expect(withExecutionDefaults({}, startedAt)).toMatchObject({
      status: 'done',
      output: '(empty response)',
    });
    expect(withExecutionDefaults({ status: 'cancelled', output: '' }, startedAt).output).toBe(
      'Cancelled by user request',
    );
    expect(withExecutionDefaults({ status: 'failed' }, startedAt).output).toBeUndefined();
    expect(withExecutionDefaults({ output: 'x' }, startedAt).durationMs).toBeGreaterThanOrEqual(
      1000,
    );
    expect(withExecutionDefaults({ durationMs: 5 }, startedAt).durationMs).toBe(5);
  });
});

describe('parseClaudeCliOutput', () => {
  test('extracts result or response from JSON', () => {
    expect(parseClaudeCliOutput('{"result":"a","response":"b"}')).toBe('a');
    expect(parseClaudeCliOutput('{"response":"b"}')).toBe('b');
    expect(parseClaudeCliOutput('[{"type":"system"},{"type":"result","result":"c"}]')).toBe('c');
  });

  test('extracts the first object from noise', () => {
    expect(parseClaudeCliOutput('npm warn {x}\n{"result":"a } \\" {"} tail')).toBe('a } " {');
  });

  test('falls back to the raw text', () => {
    expect(parseClaudeCliOutput('  plain text \n')).toBe('plain text');
    expect(parseClaudeCliOutput('{"result":5}')).toBe('{"result":5}');
  });

  test('never throws and never hangs', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseClaudeCliOutput(text) === 'string'));
    expect(parseClaudeCliOutput('{'.repeat(200_000))).toHaveLength(200_000);
  });
});
