import { describe, expect, test } from 'vitest';
import { replayedLines } from '../../testing/replayed-lines.ts';
import { resolvedOptions } from '../../testing/resolved-options.ts';
import { cursorAdapter } from './backend.ts';
import { live, printArgs } from './drivers.ts';

// Made after the documented lines of Cursor, which need its server: none of them is a recording.
const session_id = '58e01ac4-1c71-4ab7-8d18-d46ccfc6274e';
const INIT = {
  type: 'system',
  subtype: 'init',
  apiKeySource: 'login',
  cwd: '/work',
  session_id,
  model: 'A Model',
  permissionMode: 'default',
};
const said = (text: string, more: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  session_id,
  ...more,
});
const tool = (subtype: string, call_id: string, tool_call: object) => ({
  type: 'tool_call',
  subtype,
  call_id,
  tool_call,
  session_id,
});
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 3,
  duration_api_ms: 3,
  result: 'Looking.Done.',
  session_id,
  usage: { inputTokens: 130, outputTokens: 17, cacheReadTokens: 20, cacheWriteTokens: 0 },
};
const read = (lines: readonly (object | string)[], end = {}) =>
  replayedLines(cursorAdapter.dialects ?? [], lines, { code: 0, ...end });

/** A call and how it ended. */
function completed(kind: string, args: object, result: object) {
  const { events } = read([
    INIT,
    tool('started', 'c1\nfc1', { [kind]: { args } }),
    tool('completed', 'c1\nfc1', { [kind]: { args, result } }),
    RESULT,
  ]);
  expect(events.filter(({ type }) => type === 'unparsed')).toEqual([]);
  return events.find((event) => event.type === 'tool.completed');
}

describe('the messages of Cursor', () => {
  test('are separate messages, and the last one is the answer', () => {
    const { events, result } = read([
      INIT,
      { type: 'thinking', subtype: 'delta', text: 'Hm', session_id, timestamp_ms: 1 },
      { type: 'thinking', subtype: 'delta', text: 'm.', session_id, timestamp_ms: 2 },
      { type: 'thinking', subtype: 'completed', session_id, timestamp_ms: 3 },
      said('Looking.'),
      tool('started', 'c1', { lsToolCall: { args: { path: '/work' } } }),
      tool('completed', 'c1', { lsToolCall: { args: { path: '/work' }, result: { success: {} } } }),
      said('Done.'),
      RESULT,
    ]);
    const texts = events.flatMap((each) => (each.type === 'message.completed' ? [each] : []));
    expect(texts.map(({ kind, text }) => [kind, text])).toEqual([
      ['thinking', 'Hmm.'],
      ['text', 'Looking.'],
      ['text', 'Done.'],
    ]);
    expect(result).toMatchObject({
      outcome: 'done',
      output: 'Done.',
      nativeSessionId: session_id,
      usage: { inputTokens: 150, cachedInputTokens: 20, outputTokens: 17, totalTokens: 167 },
    });
    expect(result.usage?.costUsd).toBeUndefined();
  });

  test('are not doubled by the repetitions of --stream-partial-output', () => {
    const { events } = read([
      INIT,
      said('Look', { timestamp_ms: 1 }),
      said('ing.', { timestamp_ms: 2 }),
      said('Looking.', { timestamp_ms: 3, model_call_id: 'm1' }),
      tool('started', 'c1', { readToolCall: { args: { path: 'a' } } }),
      tool('completed', 'c1', { readToolCall: { args: { path: 'a' }, result: { success: {} } } }),
      said('Do', { timestamp_ms: 4 }),
      said('ne.', { timestamp_ms: 5 }),
      said('Looking.Done.'),
      RESULT,
    ]);
    const texts = events.flatMap((each) => (each.type === 'message.completed' ? [each.text] : []));
    expect(texts).toEqual(['Looking.', 'Done.']);
  });

  test('are repeated on standard error without notices', () => {
    const { events } = read([INIT, said('Done.'), RESULT], { stderr: JSON.stringify(INIT) });
    expect(events.filter(({ type }) => type === 'notice')).toEqual([]);
  });
});

describe('a tool of Cursor', () => {
  const command = { command: 'npm test' };

  test.each([
    ['success', { exitCode: 0, stdout: 'ok\n', stderr: '' }, 'ok', 'ok\n'],
    ['success', { exitCode: 2, stdout: '', stderr: 'no\n' }, 'error', 'no\n'],
    ['failure', { exitCode: 1, stdout: 'bad\n', stderr: '' }, 'error', 'bad\n'],
    ['rejected', { command: 'npm test', reason: '' }, 'denied', undefined],
    ['spawnError', { error: 'spawn /bin/zsh ENOENT' }, 'error', 'spawn /bin/zsh ENOENT'],
    ['timeout', { message: 'too slow' }, 'error', 'too slow'],
    ['aborted', {}, 'cancelled', undefined],
  ])('a command with the result %s %j is %s', (key, facts, outcome, output) => {
    const ended = completed('shellToolCall', command, { [key]: facts });
    expect(ended).toMatchObject({ outcome, action: { type: 'command', command: 'npm test' } });
    expect(ended?.output || undefined).toBe(output);
  });

  test('that reports no result is an error', () => {
    expect(completed('shellToolCall', command, {})?.outcome).toBe('error');
  });

  test.each([
    ['readToolCall', { path: 'a.txt' }, { content: 'A', totalLines: 1 }, { type: 'file.read' }],
    [
      'writeToolCall',
      { path: 'a.txt', fileText: 'A' },
      { path: 'a.txt', linesCreated: 1 },
      { type: 'file.edit', changes: [{ path: 'a.txt', kind: 'add', diff: 'A' }] },
    ],
    [
      'editToolCall',
      { path: 'a.txt' },
      { path: 'a.txt', diffString: '-a\n+b\n' },
      { type: 'file.edit', changes: [{ path: 'a.txt', kind: 'edit', diff: '-a\n+b\n' }] },
    ],
    ['deleteToolCall', { path: 'a' }, {}, { type: 'file.edit', changes: [{ kind: 'delete' }] }],
    ['globToolCall', { globPattern: '*.ts' }, {}, { type: 'search', query: '*.ts' }],
    ['grepToolCall', { pattern: 'x' }, {}, { type: 'search', query: 'x' }],
    [
      'mcpToolCall',
      { providerIdentifier: 'docs', toolName: 'find', args: { q: 1 } },
      { content: [{ type: 'text', text: 'found' }] },
      { type: 'mcp', server: 'docs', tool: 'find' },
    ],
    ['futureToolCall', { anything: 1 }, {}, { type: 'other' }],
  ])('%s is shown as what it does', (kind, args, success, action) => {
    expect(completed(kind, args, { success })).toMatchObject({ outcome: 'ok', action });
  });

  test('may be a function with a name', () => {
    const envelope = { function: { name: 'web_fetch', arguments: '{"url":"x"}' } };
    const { events } = read([INIT, tool('started', 'c1', envelope), RESULT]);
    expect(events.find(({ type }) => type === 'tool.started')).toMatchObject({ name: 'web_fetch' });
  });

  test('that updates the todo list makes a plan', () => {
    const args = { todos: [{ content: 'Look', status: 'TODO_STATUS_IN_PROGRESS' }] };
    const { events } = read([
      INIT,
      tool('completed', 'c1', { updateTodosToolCall: { args, result: { success: {} } } }),
      RESULT,
    ]);
    expect(events.find(({ type }) => type === 'plan.updated')).toMatchObject({
      entries: [{ text: 'Look', status: 'in_progress' }],
    });
  });
});

describe('a failure of Cursor', () => {
  test.each([
    ["Error: Authentication required. Run 'agent login', or set CURSOR_API_KEY.", 'auth_missing'],
    ['Cannot use this model: nope. Available models: auto', 'model_not_found'],
    ['Error: something odd', 'agent_crashed'],
  ])('is explained by its words: %s', (stderr, code) => {
    expect(read([], { code: 1, stderr }).result.error?.code).toBe(code);
  });

  test('is a login prompt in place of an answer', () => {
    const { result } = read([INIT, 'Press any key to sign in...'], { code: null });
    expect(result.error?.code).toBe('auth_missing');
  });

  test('is a stream without a result', () => {
    expect(read([INIT, said('Half')]).result.error?.code).toBe('output_truncated');
  });

  test('is a result that says so', () => {
    const { result } = read([INIT, { ...RESULT, is_error: true, result: 'rate limit reached' }]);
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'rate_limited' } });
  });
});

describe('the command line of Cursor', () => {
  const options = resolvedOptions('/', { model: 'auto', providerOptions: { mode: 'plan' } });

  test('has everything before the prompt', () => {
    expect(printArgs(options, { resume: 'abc', prompt: 'Hi' })).toEqual([
      ...['-p', '--output-format', 'stream-json', '--force', '--trust', '--model', 'auto'],
      ...['--mode', 'plan', '--resume', 'abc', 'Hi'],
    ]);
  });

  test('starts the protocol after the flags', async () => {
    const input = { options: resolvedOptions('/', { model: 'auto' }) };
    const launch = await live.launch(input as Parameters<typeof live.launch>[0]);
    expect(launch.args).toEqual(['--force', '--trust', '--model', 'auto', 'acp']);
  });

  test('of its own interface has the prompt last', () => {
    const asked = { ...options, resume: 'abc', prompt: 'Hi' };
    expect(cursorAdapter.interactiveArgs?.(asked, () => '')).toEqual([
      ...['--force', '--model', 'auto', '--mode', 'plan', '--resume', 'abc', 'Hi'],
    ]);
  });
});
