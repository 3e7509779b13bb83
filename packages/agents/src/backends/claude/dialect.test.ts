import { describe, expect, test } from 'vitest';
import {
  assistant,
  piece,
  result,
  start,
} from '../../dialects/claude-stream-json/testing/stage.ts';
import { replayed } from '../../testing/recordings.ts';
import { claudeDialects } from './dialect.ts';
import { DialectStage } from './testing/dialect-stage.ts';

describe('other lines', () => {
  test('usage grows with the messages of the main agent alone', () => {
    const end = piece({ type: 'message_delta', usage: { output_tokens: 4 } });
    const sub = { ...end, parent_tool_use_id: 't1' };
    const stage = new DialectStage().say(start('m1'), end, sub, end, start('m2'), end);
    expect(stage.all('usage.updated').map(({ usage }) => usage)).toMatchObject([
      { inputTokens: 7, outputTokens: 4, contextTokens: 7 },
      { inputTokens: 7, outputTokens: 4 },
      { inputTokens: 14, outputTokens: 8, contextTokens: 7 },
    ]);
  });

  test('a retry, a limit, a task and a suggestion are notices', () => {
    const stage = new DialectStage().say(
      {
        type: 'system',
        subtype: 'api_retry',
        attempt: 2,
        max_retries: 5,
        retry_delay_ms: 100,
        error_status: 529,
      },
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour' },
      },
      {
        type: 'system',
        subtype: 'task_started',
        task_id: 'b1',
        tool_use_id: 't1',
        description: 'sleep',
      },
      { type: 'prompt_suggestion', suggestion: 'Go on' },
    );
    expect(stage.all('notice')).toMatchObject([
      { level: 'warning', code: 'retry', data: { attempt: 2, max: 5, delayMs: 100, status: 529 } },
      { level: 'warning', code: 'rate_limit' },
      { level: 'info', code: 'background_task', parentId: 't1' },
      { level: 'info', code: 'suggestion', message: 'Go on' },
    ]);
  });

  test('a retry says why, and when Claude asks again', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 6, max_retries: 10 };
    const stage = new DialectStage().say(
      { ...retry, retry_delay_ms: 37_246.5, error_status: 401 },
      { ...retry, error_status: null },
    );
    expect(stage.all('notice').map(({ message }) => message)).toEqual([
      'The provider rejected the key or login (status 401). Retrying in 38 s (6 of 10).',
      'The provider did not respond. Retrying (6 of 10).',
    ]);
  });

  test.each([
    { type: 'tool_result', tool_use_id: 't1', content: 'hi' },
    { type: 'system', subtype: 'status', status: 'requesting' },
    { type: 'user', message: { content: 'x' } },
  ])('$type $subtype names the session', (line) => {
    const stage = new DialectStage().say(
      { ...line, session_id: 's1' },
      { ...line, session_id: 's1' },
    );
    expect(stage.all('run.identified')).toEqual([
      { type: 'run.identified', nativeSessionId: 's1' },
    ]);
  });

  test('a key instead of a login is reported once per run', () => {
    const init = (apiKeySource: string) => ({ type: 'system', subtype: 'init', apiKeySource });
    const stage = new DialectStage().say(init('none'), result());
    expect(stage.all('notice')).toEqual([]);
    stage.say(init('ANTHROPIC_API_KEY'), init('ANTHROPIC_API_KEY'), result());
    expect(stage.all('notice')).toMatchObject([
      { level: 'info', code: 'api_key_used', data: { source: 'ANTHROPIC_API_KEY' } },
    ]);
    stage.say(init('ANTHROPIC_API_KEY'));
    expect(stage.all('notice')).toHaveLength(2);
  });

  test('a recording whose last line is an error failed with its message', () => {
    const limit = [{ type: 'text', text: 'Rate limit exceeded' }];
    const stage = new DialectStage().say(assistant('m1', limit, { error: 'rate_limit' }));
    expect(stage.dialect.end({ stderr: '' })).toMatchObject({
      outcome: 'failed',
      error: { code: 'rate_limited', message: 'Rate limit exceeded' },
    });
  });

  test.each([
    { type: 'command_lifecycle', command_uuid: 'u1', state: 'queued' },
    { type: 'system', subtype: 'background_tasks_changed', tasks: [{ task_id: 'b1' }] },
  ])('$type $subtype says nothing new', (line) => {
    expect(new DialectStage().say(line).drafts).toEqual([]);
  });

  test.each([
    { type: 'system', subtype: 'brand_new' },
    { type: 'brand_new' },
    { type: 'system', subtype: 'toString' },
    { no: 'type' },
    assistant('m1', [{ type: 'brand_new_block' }]),
    assistant('m1', [{ type: 'brand_new_block' }, { type: 'another_new_block' }]),
    { ...assistant('m1', []), message: {} },
    { type: 'user', message: { content: [{ type: 'brand_new_block' }, { type: 'other' }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', content: 'of nothing' }] } },
    { type: 'user' },
    piece({ type: 'brand_new_event' }),
    piece({}),
  ])('%o is kept unchanged', (line) => {
    const stage = new DialectStage().say(line);
    expect(stage.all('unparsed')).toEqual([
      { type: 'unparsed', source: 'stdout', line: JSON.stringify(line) },
    ]);
  });

  test('a text in the place of blocks is a block of text', () => {
    const stage = new DialectStage().say({ ...assistant('m1', []), message: { content: 'Hi.' } });
    expect(stage.deltas()).toMatchObject([{ text: 'Hi.' }]);
    expect(stage.all('unparsed')).toEqual([]);
  });

  test('an error in the stream of the model is a notice, under the call of a sub-agent', () => {
    const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const stage = new DialectStage().say(piece(event, { parent_tool_use_id: 't1' }));
    expect(stage.all('notice')).toMatchObject([
      { level: 'warning', code: 'agent_warning', message: 'Overloaded', parentId: 't1' },
    ]);
    expect(stage.all('unparsed')).toEqual([]);
  });

  test.each(['content_block_stop', 'message_stop', 'ping'])('%s emits nothing', (type) => {
    const stage = new DialectStage().say(piece({ type, index: 0 }, { session_id: undefined }));
    expect(stage.drafts).toEqual([]);
  });

  test('noise around the messages is a notice, a broken message is kept', () => {
    const stage = new DialectStage();
    stage.dialect.line('npm warn something');
    stage.dialect.line('{"type":"assis');
    expect(stage.drafts).toMatchObject([
      { type: 'notice', code: 'text', message: 'npm warn something' },
      { type: 'unparsed', line: '{"type":"assis' },
    ]);
  });

  test('an unmatched bracket does not swallow what follows', () => {
    const stage = new DialectStage();
    stage.dialect.line('{');
    stage.say(result());
    expect(stage.all('unparsed')).toEqual([{ type: 'unparsed', source: 'stdout', line: '{' }]);
    expect(stage.verdicts).toHaveLength(1);
  });

  test('echoes and internal messages of Claude emit nothing', () => {
    const stage = new DialectStage().say(
      { type: 'user', isReplay: true, uuid: 'u', message: { content: 'hi' } },
      {
        type: 'user',
        isSynthetic: true,
        message: { content: [{ type: 'text', text: 'You MUST' }] },
      },
      {
        type: 'user',
        parent_tool_use_id: 't1',
        message: { content: [{ type: 'text', text: 'do it' }, { type: 'image' }] },
      },
      { type: 'user', isReplay: true, message: { content: [{ type: 'brand_new_block' }] } },
      { type: 'keep_alive' },
      { type: 'system', subtype: 'thinking_tokens', estimated_tokens: 5 },
    );
    expect(stage.drafts).toEqual([]);
  });
});

describe('the end of the process', () => {
  test.each([
    ['--dangerously-skip-permissions cannot be used with root/sudo privileges', 'root_refused'],
    ["error: unknown option '--no-such-flag'", 'usage'],
    ['Error: Session ID 1 is already in use.', 'usage'],
    ['No conversation found with session ID: 1', 'session_not_found'],
    ['Error: … "x" is not a UUID and does not match any session title.', 'session_not_found'],
    ['Segmentation fault', 'agent_crashed'],
  ])('%s: %s', (stderr, code) => {
    const verdict = new DialectStage().dialect.end({ code: 1, stderr });
    expect(verdict).toMatchObject({
      outcome: 'failed',
      error: { code, message: expect.stringContaining(stderr) },
    });
  });

  test('without a result the output is truncated', () => {
    const stage = new DialectStage().say(assistant('m1', []));
    expect(stage.dialect.end({ code: 0, stderr: '' })?.error?.code).toBe('output_truncated');
  });

  test('after a result there is nothing to judge', () => {
    const stage = new DialectStage().say(result());
    expect(stage.dialect.end({ code: 1, stderr: 'whatever' })).toBeUndefined();
  });
});

describe('telling the forms of output apart', () => {
  test.each([
    ['live', [JSON.stringify({ type: 'system', subtype: 'init', session_id: 's' })]],
    ['live', ['a banner', JSON.stringify({ type: 'control_response', response: {} })]],
    ['print', [JSON.stringify(result())]],
    ['print', JSON.stringify([result()], null, 2).split('\n')],
    ['print', JSON.stringify(result(), null, 2).split('\n')],
    ['plain', ['Just an answer.']],
    ['plain', ['{"type":"thread.started","thread_id":"x"}']],
  ])('%s', (transport, lines) => {
    const { events } = replayed({ id: 'x', label: 'X' }, claudeDialects, {
      lines,
      end: { code: 0, stderr: '' },
    });
    expect(events[0]).toMatchObject({ type: 'run.started', transport });
  });
});
