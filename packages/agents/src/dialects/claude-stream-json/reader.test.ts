import { expect, test } from 'vitest';
import { StreamJsonReader } from './reader.ts';
import { assistant, result, StreamStage, toolResult } from './testing/stage.ts';

const BOB = { label: 'Bob', words: [[/^Bob: no license/m, 'auth_missing']] } as const;

test('names the agent that prints the stream', () => {
  const stage = new StreamStage((out) => new StreamJsonReader(out, { agent: BOB }));
  stage.say({ type: 'system', subtype: 'init', session_id: 's', apiKeySource: 'BOB_KEY' });
  expect(stage.all('notice')).toMatchObject([
    { code: 'api_key_used', message: expect.stringContaining('Bob uses an API key (BOB_KEY)') },
  ]);
  expect(stage.dialect.end({ code: 0, stderr: '' })?.error?.message).toContain('Bob exited');
});

test('judges the end of a process by the output of its agent', () => {
  const stage = new StreamStage((out) => new StreamJsonReader(out, { agent: BOB }));
  const end = { code: 1, stderr: 'Bob: no license\n' };
  expect(stage.dialect.end(end)?.error).toMatchObject({ code: 'auth_missing' });
});

test('leaves the lines that only one agent has to its backend', () => {
  const request = { type: 'control_request', request_id: '1', request: {} };
  const alone = new StreamStage((out) => new StreamJsonReader(out, { agent: BOB }));
  expect(alone.say(request).all('unparsed')).toHaveLength(1);
  const own: unknown[] = [];
  const readOwnLine = (line: { type?: unknown }) => {
    own.push(line.type);
    return line.type === 'control_request';
  };
  const stage = new StreamStage((out) => new StreamJsonReader(out, { agent: BOB, readOwnLine }));
  stage.say(request, result());
  expect(own).toEqual(['control_request', 'result']);
  expect(stage.all('unparsed')).toEqual([]);
  expect(stage.verdicts).toMatchObject([{ outcome: 'done' }]);
});

test('emits a result before the call is reported as completed', () => {
  const order: string[] = [];
  const stage = new StreamStage((out) => {
    const emit: typeof out.emit = (draft) => {
      if (draft.type === 'tool.completed') order.push('completed');
      out.emit(draft);
    };
    const onToolResult = (callId: string, isError: boolean) => order.push(`${callId} ${isError}`);
    return new StreamJsonReader({ ...out, emit }, { agent: BOB, onToolResult });
  });
  stage.say(
    assistant('m1', [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }]),
    toolResult('t1', 'No.', {}, { is_error: true }),
  );
  expect(order).toEqual(['t1 true', 'completed']);
});
