import type { Json } from '@baton/config/values/json';
import { recognise } from '@baton/engine/run/replay';
import { expect, test } from 'vitest';
import { claudeDialects } from '../../backends/claude/dialect.ts';
import { replayed } from '../../testing/recordings.ts';

const CLAUDE = { id: 'claude-cli', label: 'Claude Code' };
const entry = (fields: Json): Json => ({
  parentUuid: null,
  isSidechain: false,
  userType: 'external',
  cwd: '/w',
  sessionId: 's-1',
  version: '2.1.325',
  uuid: 'u',
  ...fields,
});
const said = (content: Json[], stop: string): Json =>
  entry({
    type: 'assistant',
    message: { id: 'm', type: 'message', role: 'assistant', content, stop_reason: stop },
  });
const PROMPT = entry({ type: 'user', message: { role: 'user', content: 'Go.' } });
const OWN = { type: 'queue-operation', operation: 'enqueue', sessionId: 's-1', content: 'Go.' };
const CALL = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } };
const RESULT = entry({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'a' }] },
  toolUseResult: { stdout: 'a', stderr: '', interrupted: false },
});
const text = (words: string) => ({ type: 'text', text: words });
const play = (...lines: Json[]) =>
  replayed(CLAUDE, claudeDialects, {
    lines: lines.map((line) => JSON.stringify(line)),
    end: { stderr: '' },
  });
const transportOf = (...lines: (Json | string)[]) =>
  recognise(
    claudeDialects,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))),
  )?.transport;

test('a transcript is recognised and read like the stream', () => {
  const lines = [OWN, PROMPT, said([CALL], 'tool_use'), RESULT, said([text('ok.')], 'end_turn')];
  expect(transportOf(...lines)).toBe('transcript');
  const { events, result } = play(...lines);
  expect(result).toMatchObject({ outcome: 'done', output: 'ok.', nativeSessionId: 's-1' });
  expect(events.filter(({ type }) => type === 'tool.completed')).toMatchObject([
    { action: { command: 'ls' }, output: 'a', outcome: 'ok' },
  ]);
  expect(events.filter(({ type }) => type === 'unparsed')).toEqual([]);
});

test('a transcript has the usage of its messages, each of them once', () => {
  const used = (id: string, output: number, fields: Json = {}): Json => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: output };
    const message = { id, role: 'assistant', content: [text(id)], stop_reason: 'end_turn', usage };
    return entry({ type: 'assistant', message, ...fields });
  };
  // Claude writes a line for each block of a message, and the last one has all of its output.
  const blocks = [used('one', 1), used('one', 5)];
  const subAgent = used('two', 7, { isSidechain: true });
  const { result } = play(PROMPT, ...blocks, subAgent, used('three', 2));
  expect(result.usage).toMatchObject({
    ...{ inputTokens: 300, cachedInputTokens: 270, outputTokens: 14, totalTokens: 314 },
    contextTokens: 100,
  });
  const cut = play(PROMPT, used('one', 5), said([CALL], 'tool_use'));
  expect(cut.result).toMatchObject({ outcome: 'failed', usage: { outputTokens: 5 } });
});

test('a transcript that ends during a tool is not a success', () => {
  const { result } = play(PROMPT, said([CALL], 'tool_use'));
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'interrupted' } });
});

test('messages without a session are recognised', () => {
  const message = { role: 'assistant', content: [text('Hi.')] };
  expect(transportOf({ type: 'assistant', message })).toBe('live');
  expect(transportOf({ type: 'system', subtype: 'init', tools: [] })).toBe('live');
  expect(transportOf({ type: 'assistant', name: 'of something else' })).toBe('plain');
});

test('a line that only might start JSON does not hide the stream after it', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's' };
  expect(transportOf('{', '  "a": 1', '}', init)).toBe('live');
  expect(transportOf('[', '  {')).toBe('print');
});
