import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { runnerArgs } from '../backends/claude/args.ts';
import { demoBackend } from '../backends/demo/index.ts';
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

  test('takes tasks by any of its names and no others', () => {
    expect(demo.canExecute('demo')).toBe(true);
    expect(demo.canExecute('claude-cli')).toBe(false);
    const claude = runnerBackend(claudeForRunner());
    for (const name of ['claude-cli', 'claude', 'Claude-Code'])
      expect(claude.canExecute(name)).toBe(true);
    expect(normalizeExecutionBackend(' Codex ')).toBe('codex-cli');
  });

  test('reports what was done', async () => {
    const result = await demo.execute(request('demo:garbage'));
    expect(result).toMatchObject({
      status: 'done',
      output: 'That was garbage.',
      tokensUsed: 3,
      costUsd: 0,
    });
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
  });

  test('reports a failure with its words', async () => {
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

  test('takes model, tools, time and schema from the packet', async () => {
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
  test('takes result or response out of JSON', () => {
    expect(parseClaudeCliOutput('{"result":"a","response":"b"}')).toBe('a');
    expect(parseClaudeCliOutput('{"response":"b"}')).toBe('b');
    expect(parseClaudeCliOutput('[{"type":"system"},{"type":"result","result":"c"}]')).toBe('c');
  });

  test('takes the first object out of noise', () => {
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
