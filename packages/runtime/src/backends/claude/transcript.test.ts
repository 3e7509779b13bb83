import { expect, test } from 'vitest';
import type { Json } from '../../normalize/json.ts';
import { recognise } from '../../normalize/replay.ts';
import { replayed } from '../../testing/recordings.ts';
import { claudeDialects } from './dialect.ts';

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

test('a transcript that breaks off in the middle of a tool is no success', () => {
  const { result } = play(PROMPT, said([CALL], 'tool_use'));
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'interrupted' } });
});

test('messages without a session are recognised', () => {
  const message = { role: 'assistant', content: [text('Hi.')] };
  expect(transportOf({ type: 'assistant', message })).toBe('live');
  expect(transportOf({ type: 'system', subtype: 'init', tools: [] })).toBe('live');
  expect(transportOf({ type: 'assistant', name: 'of something else' })).toBe('plain');
});

test('a line that only might begin JSON does not hide the stream behind it', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's' };
  expect(transportOf('{', '  "a": 1', '}', init)).toBe('live');
  expect(transportOf('[', '  {')).toBe('print');
});
