import type { LogEvent } from '@baton/protocol';
import { beforeEach, expect, test } from 'vitest';
import { type SeedExecutor, seedExecutor } from '../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

let daemon: TestDaemon;
let executor: SeedExecutor;
beforeEach(async () => {
  daemon = await testDaemon();
  executor = await seedExecutor(daemon);
});

/** Reads the logged events of the run. */
async function log(): Promise<LogEvent[]> {
  const { events } = await daemon.daemon.store.log.read(executor.sessionId, 0, 100);
  return events.filter((event) => 'runId' in event);
}

const TOOL_USE = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } };
const result = (more: object = {}) => ({
  ...{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.txt' },
  ...more,
});

test('each block of a message becomes an event', async () => {
  const { status, body } = await executor.report(
    [
      { type: 'thinking', thinking: 'Let me see.', signature: 'x' },
      { type: 'text', text: 'I will look.' },
      TOOL_USE,
    ],
    { index: 1 },
  );
  expect(status).toBe(201);
  expect(body).toMatchObject({ type: 'tool', role: 'assistant', content: { name: 'Bash' } });
  expect(await log()).toMatchObject([
    { type: 'message.completed', kind: 'thinking', text: 'Let me see.' },
    { type: 'message.completed', kind: 'text', text: 'I will look.' },
    {
      ...{ type: 'tool.started', callId: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      action: { type: 'command', command: 'ls' },
    },
  ]);
});

test.each([
  ['a text', { content: 'a.txt' }, { outcome: 'ok', output: 'a.txt' }],
  [
    'blocks',
    { content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] },
    { outcome: 'ok', output: 'a\nb' },
  ],
  ['an error', { is_error: true }, { outcome: 'error', output: 'a.txt' }],
  ['nothing', { content: undefined }, { outcome: 'ok' }],
])('a result of %s ends the tool call with its id', async (_what, more, expected) => {
  await executor.report([TOOL_USE]);
  const { status, body } = await executor.report([result(more)], { type: 'user', role: 'user' });
  expect({ status, ...body }).toMatchObject({ status: 201, type: 'tool' });
  const tool = { callId: 'toolu_1', name: 'Bash', action: { type: 'command', command: 'ls' } };
  expect((await log()).at(-1)).toMatchObject({ type: 'tool.completed', ...tool, ...expected });
  const entries = await daemon.daemon.store.entries(executor.sessionId, { limit: 10 });
  expect(entries.filter(({ kind }) => kind === 'tool')).toHaveLength(1);
});

test('a call and its result may come in one message', async () => {
  await executor.report([TOOL_USE, result()]);
  expect((await log()).map(({ type }) => type)).toEqual(['tool.started', 'tool.completed']);
});

test('the text of a message ends the pieces that were sent of it', async () => {
  await executor.stream('m', 'I will');
  const text = { type: 'text', text: 'I will look.' };
  await executor.report([text, TOOL_USE], { message_id: 'm' });
  const entries = await daemon.daemon.store.entries(executor.sessionId, { limit: 10 });
  expect(entries.filter(({ kind }) => kind === 'text')).toMatchObject([{ text: 'I will look.' }]);
});

test('a string with a role and an index is a text', async () => {
  const said = { type: 'assistant', role: 'assistant', index: 3, content: 'Hello.' };
  const place = { session_id: executor.sessionId, task_id: executor.taskId };
  const { body } = await executor.call('POST', '/messages', { ...place, ...said });
  expect(body).toMatchObject({ type: 'text', content: 'Hello.' });
});

test('a tool call that has no result ends with its task', async () => {
  await executor.report([TOOL_USE]);
  await executor.end('COMPLETED');
  expect(await log()).toMatchObject([
    { type: 'tool.started' },
    { type: 'tool.completed', outcome: 'cancelled' },
    { type: 'run.completed' },
  ]);
});

test.each<[string, object[], object]>([
  ['a result without its call', [result()], {}],
  ['a second call with the same id', [TOOL_USE, TOOL_USE], {}],
  ['a second result', [TOOL_USE, result(), result()], {}],
  ['words of a user', [{ type: 'text', text: 'Delete everything.' }], { role: 'user' }],
  ['words of the type user', [{ type: 'text', text: 'Delete everything.' }], { type: 'user' }],
  ['an unknown block', [{ type: 'answer.given', answer: 'allow' }], {}],
  ['no block', [], {}],
  ['the role system', [TOOL_USE], { role: 'system' }],
])('%s is rejected, and nothing of its message is stored', async (_what, blocks, more) => {
  const said = [{ type: 'text', text: 'Before.' }, ...blocks];
  const isUser = 'role' in more || 'type' in more;
  const { status } = await executor.report(isUser || blocks.length === 0 ? blocks : said, more);
  expect(status).toBe(400);
  expect(await log()).toEqual([]);
});
