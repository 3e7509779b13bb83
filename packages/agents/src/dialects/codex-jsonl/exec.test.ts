import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExecOptions, execDialect, isExecLine } from './exec.ts';
import { DialectStage } from './testing/dialect-stage.ts';
import { readTokens } from './usage.ts';

const stage = (options?: ExecOptions) => new DialectStage((out) => execDialect(out, options));
const STARTED = { type: 'thread.started', thread_id: 'thread' };
const ITEM = { id: 'item_0', type: 'agent_message', text: 'Hi.' };
const completed = (input: number) => ({
  type: 'turn.completed',
  usage: { input_tokens: input, output_tokens: 2 },
});

// Feature: multi-cli-backend, Property 6: Output parsing extracts correct fields
test('any session id and any last message come through', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.array(fc.string({ unit: 'binary' })), (id, texts) => {
      const play = stage().say(
        { type: 'thread.started', thread_id: id },
        { type: 'turn.started' },
        ...texts.map((text, index) => ({
          type: 'item.completed',
          item: { id: `item_${index}`, type: 'agent_message', text },
        })),
        completed(1),
      );
      expect(play.all('run.identified')[0]?.nativeSessionId).toBe(id);
      expect(play.all('message.completed').map(({ text }) => text)).toEqual(texts);
      expect(play.verdicts).toMatchObject([{ outcome: 'done' }]);
    }),
    { numRuns: 100 },
  );
});

describe('usage', () => {
  test('counts from the start of the thread, so earlier usage is subtracted', () => {
    const earlier = readTokens({ input_tokens: 200, output_tokens: 1 });
    const play = stage({ earlier }).say(STARTED, completed(300));
    expect(play.verdicts[0]?.usage).toMatchObject({ inputTokens: 100, outputTokens: 1 });
  });

  test('is not reported when earlier usage is unknown', () => {
    const play = stage({ earlier: 'unknown' }).say(STARTED, completed(300));
    expect(play.verdicts).toEqual([{ outcome: 'done', usage: undefined }]);
    expect(play.all('usage.updated')).toEqual([]);
    expect(play.all('notice').at(-1)?.message).toContain('is unknown');
  });

  test('of several turns in one recording is reported per turn', () => {
    const play = stage().say(STARTED, completed(100), STARTED, completed(300));
    const other = { type: 'thread.started', thread_id: 'other' };
    play.say(other, completed(50));
    expect(play.verdicts.map(({ usage }) => usage?.inputTokens)).toEqual([100, 200, 50]);
  });
});

test('items of several processes in one recording keep apart', () => {
  const item = { type: 'item.completed', item: ITEM };
  const play = stage().say(STARTED, item, STARTED, item);
  expect(play.all('message.started').map(({ messageId }) => messageId)).toEqual([
    'item_0',
    'item_0#2',
  ]);
});

test.each([
  ['patch rejected: writing is blocked by read-only sandbox; rejected', 'file_change'],
  ['approval policy is Never; reject command — you cannot ask', 'command_execution'],
])('a tool that the sandbox refuses is denied: %s', (words, name) => {
  const play = stage().say(STARTED);
  const trace = `2026-11-16T23:45:21.846864Z ERROR codex_core::tools::router: error=${words}`;
  expect(play.dialect.stderrLine?.(trace)).toBe(true);
  expect(play.all('tool.started')).toMatchObject([{ name }]);
  expect(play.all('tool.completed')).toMatchObject([{ outcome: 'denied', output: words }]);
  expect(play.dialect.stderrLine?.('2026-11-16T23:45:21Z ERROR codex_core: x')).toBe(false);
});

test('an MCP tool that needs approval is denied with no one to ask', () => {
  const error = { message: 'MCP tool call requires approval, but approval policy is never' };
  const call = { id: 'i', type: 'mcp_tool_call', server: 's', tool: 't', status: 'failed', error };
  const play = stage().say(STARTED, { type: 'item.completed', item: call });
  expect(play.all('tool.completed')).toMatchObject([{ outcome: 'denied' }]);
});

test('a retry is a notice, the last error without one is the failure', () => {
  const play = stage().say(
    { type: 'error', message: 'Reconnecting... 1/5 (unexpected status 401)' },
    { type: 'error', message: 'unexpected status 401 Unauthorized' },
  );
  expect(play.all('notice').map(({ code }) => code)).toEqual(['retry']);
  expect(play.dialect.end({ code: 1, stderr: '' })?.error?.code).toBe('auth_missing');
  play.say({ type: 'turn.failed', error: { message: 'Quota exceeded.' } });
  expect(play.verdicts[0]?.error?.code).toBe('quota_exhausted');
  expect(play.dialect.end({ code: 1, stderr: '' })).toBeUndefined();
});

test('a command that only reports its exit code has failed with it', () => {
  const command = { id: 'c', type: 'command_execution', command: 'false', exit_code: 1 };
  const play = stage().say(STARTED, { type: 'item.completed', item: command });
  expect(play.all('tool.completed')).toMatchObject([{ outcome: 'error' }]);
});

test('items without ids keep apart, and an end belongs to its beginning', () => {
  const command = { type: 'command_execution', command: 'ls' };
  const play = stage().say(
    STARTED,
    { type: 'item.started', item: command },
    { type: 'item.completed', item: { ...command, exit_code: 0 } },
    { type: 'item.completed', item: { ...command, exit_code: 1 } },
    { type: 'item.completed', item: { type: 'agent_message', text: 'One.' } },
    { type: 'item.completed', item: { type: 'agent_message', text: 'Two.' } },
  );
  const ids = play.all('tool.completed').map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(2);
  expect(play.all('tool.started').map(({ callId }) => callId)).toEqual([ids[0]]);
  const messages = play.all('message.started').map(({ messageId }) => messageId);
  expect(new Set(messages).size).toBe(2);
});

test('items of release 0.44 name their type in another place', () => {
  const said = { id: 'item_2', item_type: 'assistant_message', text: 'hi there' };
  const play = stage().say(
    { type: 'session.created', session_id: 's' },
    { type: 'item.completed', item: said },
  );
  expect(play.all('run.identified')).toMatchObject([{ nativeSessionId: 's' }]);
  expect(play.all('message.completed')).toMatchObject([{ text: 'hi there' }]);
  expect(play.all('unparsed')).toEqual([]);
});

test('a plan is reported each time it changes', () => {
  const list = (completed: boolean) => ({
    id: 'item_1',
    type: 'todo_list',
    items: [{ text: 'Think', completed }],
  });
  const play = stage().say(
    { type: 'item.started', item: list(false) },
    { type: 'item.updated', item: list(true) },
  );
  expect(play.all('plan.updated').map(({ entries }) => entries[0]?.status)).toEqual([
    'pending',
    'completed',
  ]);
});

test('a web search has its id twice in one object, and still one id', () => {
  const line = (stage: string) =>
    `{"type":"item.${stage}","item":{"id":"item_0","type":"web_search","id":"ws_1","query":"cats"}}`;
  const play = stage().say(line('started'), line('completed'));
  expect([play.all('tool.started')[0]?.callId, play.all('tool.completed')[0]?.callId]).toEqual([
    'ws_1',
    'ws_1',
  ]);
});

test('a raw line separator in a line is a part of the text', () => {
  const play = stage().say(
    '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"a\u2028b"}}',
  );
  expect(play.all('message.completed')[0]?.text).toBe('a\u2028b');
});

test('a turn without any item is worth a warning', () => {
  expect(stage().say(STARTED, completed(1)).all('notice')[0]?.message).toContain('without saying');
});

test('unknown items are kept', () => {
  const lines = [
    '{"type":"new.thing"}',
    '{"type":"cut o',
    '[]',
    '{"type":"item.completed","item":{}}',
  ];
  expect(
    stage()
      .say(...lines)
      .all('unparsed')
      .map(({ line }) => line),
  ).toEqual(lines);
});

test('what others print among the messages is a notice, and a blank line nothing', () => {
  const play = stage().say(STARTED, '', 'npm warn x', completed(1));
  expect(play.all('notice')[0]).toMatchObject({ code: 'text', message: 'npm warn x' });
  expect(play.all('unparsed')).toEqual([]);
});

test('a process that exits before its turn has started was not interrupted during one', () => {
  const end = { code: 1, stderr: '' };
  const before = stage().say(STARTED).dialect.end(end)?.error;
  const within = stage().say(STARTED, { type: 'turn.started' }).dialect.end(end)?.error;
  expect(before?.message).toBe('Codex ended before a turn started.');
  expect(within?.message).toContain('during its turn');
});

test.each([
  ['{"type":"thread.started","thread_id":"x"}', true],
  ['{"type":"error","message":"x"}', true],
  ['{"type":"item.started","item":{"id":', true],
  ['{"type":"assistant"}', false],
  ['{"method":"turn/started"}', false],
  ['hello', false],
])('%s is a line of exec: %s', (line, expected) => {
  expect(isExecLine(line)).toBe(expected);
});
