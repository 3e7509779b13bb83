import type { Json } from '@baton/config/values/json';
import { recognise } from '@baton/engine/run/replay';
import { describe, expect, test } from 'vitest';
import { replayed } from '../../testing/recordings.ts';
import { codexFormats } from './formats.ts';

const CODEX = { id: 'codex-cli', label: 'Codex' };
const END = { code: 0, stderr: '' };
const play = (...lines: Json[]) =>
  replayed(CODEX, codexFormats, { lines: lines.map((line) => JSON.stringify(line)), end: END });
const transportOf = (line: Json) => recognise(codexFormats, [JSON.stringify(line)])?.transport;
const tokens = (input: number, output: number) => ({
  total_token_usage: { input_tokens: input, output_tokens: output },
});

describe('codex exec --json before 0.44', () => {
  const msg = (fields: Json): Json => ({ id: '0', msg: fields });
  const begin = [
    { model: 'gpt-5', workdir: '/w', approval: 'never', provider: 'openai' },
    { prompt: 'ping' },
    msg({ type: 'session_configured', session_id: 's-1', model: 'gpt-5' }),
    msg({ type: 'task_started', model_context_window: 272000 }),
  ];

  test('is recognised', () => {
    expect(transportOf(msg({ type: 'agent_message', message: 'PONG' }))).toBe('old-exec');
  });

  test('has thoughts, commands, edits, MCP tools, a plan, an answer and usage', () => {
    const changes = {
      '/w/a.txt': { add: { content: 'x\n' } },
      '/w/b.txt': { update: { unified_diff: '@@', move_path: null } },
    };
    const invocation = { server: 's', tool: 't', arguments: { a: 1 } };
    const ok = { Ok: { content: [{ type: 'text', text: 'hi' }] } };
    const command = ['bash', '-lc', 'ls -1'];
    const { events, result } = play(
      ...begin,
      msg({ type: 'agent_reasoning', text: 'Hm.' }),
      msg({ type: 'exec_command_begin', call_id: '1', command, cwd: '/w' }),
      msg({ type: 'exec_command_output_delta', call_id: '1', chunk: 'YQo=' }),
      msg({ type: 'exec_command_end', call_id: '1', stdout: 'a\n', stderr: '', exit_code: 2 }),
      msg({ type: 'patch_apply_begin', call_id: '2', changes }),
      msg({ type: 'patch_apply_end', call_id: '2', success: true }),
      msg({ type: 'mcp_tool_call_begin', call_id: '3', invocation }),
      msg({ type: 'mcp_tool_call_end', call_id: '3', invocation, result: ok }),
      msg({ type: 'plan_update', plan: [{ step: 'Act', status: 'in_progress' }] }),
      msg({ type: 'agent_message', message: 'PONG' }),
      msg({ type: 'token_count', info: tokens(100, 5) }),
      msg({ type: 'task_complete', last_agent_message: 'PONG' }),
    );
    expect(result).toMatchObject({
      outcome: 'done',
      output: 'PONG',
      nativeSessionId: 's-1',
      usage: { totalTokens: 105 },
    });
    expect(events.filter(({ type }) => type === 'tool.completed')).toMatchObject([
      { outcome: 'error', output: 'a\n', action: { command: 'ls -1', cwd: '/w', exitCode: 2 } },
      {
        outcome: 'ok',
        action: {
          changes: [
            { path: '/w/a.txt', kind: 'add', diff: 'x\n' },
            { path: '/w/b.txt', kind: 'edit', diff: '@@' },
          ],
        },
      },
      { outcome: 'ok', name: 'mcp__s__t', output: 'hi' },
    ]);
    expect(events.filter(({ type }) => type === 'plan.updated')).toMatchObject([
      { entries: [{ text: 'Act', status: 'in_progress' }] },
    ]);
    expect(events.filter(({ type }) => type === 'unparsed')).toEqual([]);
  });

  test('distinguishes a retry, a failure and an interruption', () => {
    const failed = play(
      ...begin,
      msg({ type: 'stream_error', message: 'Reconnecting... 1/5' }),
      msg({ type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' }),
      msg({ type: 'task_complete', last_agent_message: null }),
    );
    expect(failed.result).toMatchObject({ outcome: 'failed', error: { code: 'rate_limited' } });
    expect(failed.events.filter(({ type }) => type === 'notice')).toMatchObject([
      { code: 'retry' },
    ]);
    const stopped = play(...begin, msg({ type: 'turn_aborted', reason: 'interrupted' }));
    expect(stopped.result.outcome).toBe('cancelled');
  });

  test('an unknown event is kept', () => {
    const { events } = play(...begin, msg({ type: 'brand_new' }));
    expect(events.filter(({ type }) => type === 'unparsed')).toHaveLength(1);
  });
});

describe('a rollout', () => {
  const entry = (type: string, payload: Json): Json => ({
    timestamp: '2026-11-16T23:53:37.170Z',
    type,
    payload,
  });
  const event = (payload: Json) => entry('event_msg', payload);
  const begin = [
    entry('session_meta', { id: 's-1', cwd: '/w', cli_version: '0.166.0' }),
    event({ type: 'task_started', turn_id: 't' }),
    entry('turn_context', { model: 'gpt-5.5', cwd: '/w' }),
    entry('response_item', { type: 'message', role: 'user', content: [] }),
  ];
  const end = event({ type: 'task_complete', last_agent_message: 'ok.' });
  const shell = (id: string, name: string, input: Json) =>
    entry('response_item', {
      type: 'function_call',
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    });
  const output = (id: string, text: string) =>
    entry('response_item', { type: 'function_call_output', call_id: id, output: text });

  test('is recognised', () => {
    expect(begin.map(transportOf)).toEqual(begin.map(() => 'rollout'));
  });

  test('of a new release is read by its items', () => {
    const item = (fields: Json) => event({ type: 'item_completed', item: fields });
    const { events, result } = play(
      ...begin,
      item({ type: 'UserMessage', id: 'u', content: [{ type: 'text', text: 'go' }] }),
      item({ type: 'Reasoning', id: 'r', summary_text: ['Hmm.'], raw_content: [] }),
      entry('response_item', { type: 'reasoning', id: 'r', summary: [] }),
      entry('response_item', {
        type: 'custom_tool_call',
        call_id: '1',
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n',
      }),
      item({
        type: 'FileChange',
        id: '1',
        changes: { '/w/a.txt': { type: 'add', content: 'x\n' } },
        status: 'completed',
      }),
      shell('2', 'exec_command', { cmd: 'echo hi; exit 3' }),
      item({
        type: 'CommandExecution',
        id: '2',
        command: ['/bin/bash', '-lc', 'echo hi; exit 3'],
        status: 'failed',
        aggregated_output: 'hi\n',
        exit_code: 3,
      }),
      output('2', 'Process exited with code 3\nOutput:\nhi\n'),
      event({ type: 'token_count', info: tokens(4350, 47) }),
      event({ type: 'token_count', info: null }),
      item({ type: 'AgentMessage', id: 'm', content: [{ type: 'Text', text: 'ok.' }] }),
      end,
    );
    expect(result).toMatchObject({
      outcome: 'done',
      output: 'ok.',
      nativeSessionId: 's-1',
      usage: { totalTokens: 4397 },
    });
    expect(events.filter(({ type }) => type === 'run.identified').at(-1)).toMatchObject({
      model: 'gpt-5.5',
      version: '0.166.0',
    });
    expect(events.filter(({ type }) => type === 'tool.completed')).toMatchObject([
      { action: { changes: [{ path: '/w/a.txt', kind: 'add', diff: 'x\n' }] }, outcome: 'ok' },
      { action: { command: 'echo hi; exit 3', exitCode: 3 }, output: 'hi\n', outcome: 'error' },
    ]);
    expect(events.filter(({ type }) => type === 'unparsed')).toEqual([]);
  });

  test('of an older release is read by its events and calls', () => {
    const old = JSON.stringify({ output: 'a\n', metadata: { exit_code: 0, duration_seconds: 0 } });
    const { events, result } = play(
      ...begin,
      event({ type: 'user_message', message: 'go' }),
      event({ type: 'agent_reasoning', text: 'Hmm.' }),
      shell('1', 'shell', { command: ['bash', '-lc', 'ls'], workdir: '/w' }),
      output('1', old),
      shell('2', 'shell_command', { command: 'false' }),
      output('2', 'Exit code: 1\nWall time: 0 seconds\nOutput:\nno\n'),
      event({ type: 'agent_message', message: 'ok.' }),
      entry('response_item', { type: 'message', role: 'assistant', content: [] }),
      end,
    );
    expect(result).toMatchObject({ outcome: 'done', output: 'ok.' });
    expect(events.filter(({ type }) => type === 'tool.completed')).toMatchObject([
      { action: { command: 'ls', cwd: '/w', exitCode: 0 }, output: 'a\n', outcome: 'ok' },
      { action: { command: 'false', exitCode: 1 }, output: 'no\n', outcome: 'error' },
    ]);
  });

  test('of a thread with several turns sums their usage', () => {
    const turn = (total: number) => [
      event({ type: 'task_started' }),
      event({ type: 'token_count', info: tokens(total, 0) }),
      end,
    ];
    expect(play(...turn(100), ...turn(250)).result.usage).toMatchObject({ inputTokens: 250 });
  });
});
