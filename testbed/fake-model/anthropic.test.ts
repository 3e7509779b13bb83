import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeModel, startFakeModel } from './server.ts';
import { post, postStream, postWhole } from './testing.ts';

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  model.script('work', [
    { thinking: 'Hm.', text: ['Run', 'ning.'], tools: [{ shell: 'ls' }] },
    { text: 'Finished.', usage: { input: 2000, cached: 500, output: 9 } },
  ]);
});
afterAll(() => model.close());

const path = '/v1/messages?beta=true';
const tools = [{ name: 'Bash', input_schema: { properties: { command: {} } } }];
const prompt = { role: 'user', content: [{ type: 'text', text: '[[work]] go' }] };

test('a turn that streams', async () => {
  const events = await postStream(model, path, {
    model: 'claude-x',
    stream: true,
    tools,
    messages: [prompt],
  });
  expect(events.map((one) => one.event)).toEqual(events.map((one) => one.data.type));
  const names = events.map((one) => one.event);
  expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
    'message_start',
    'ping',
    ...Array(3).fill(['content_block_start', 'content_block_delta', 'content_block_stop']).flat(),
    'message_delta',
    'message_stop',
  ]);
  expect(events[0]?.data).toMatchObject({
    message: { model: 'claude-x', content: [], usage: { input_tokens: 1200, output_tokens: 1 } },
  });
  expect(events.map((one) => one.data.delta)).toEqual(
    expect.arrayContaining([
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'text_delta', text: 'Run' },
      { type: 'text_delta', text: 'ning.' },
      { stop_reason: 'tool_use', stop_sequence: null },
    ]),
  );
});

test('the turn after it, at once', async () => {
  const answer = await postWhole(model, path, {
    model: 'claude-x',
    tools,
    messages: [
      prompt,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '[[plain]]' }] },
    ],
  });
  expect(answer).toMatchObject({
    type: 'message',
    content: [{ type: 'text', text: 'Finished.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1500, cache_read_input_tokens: 500, output_tokens: 9 },
  });
});

test('a request without tools is a side call and gets no tool call', async () => {
  const answer = await postWhole(model, path, { messages: [prompt] });
  expect(answer).toMatchObject({ content: [{ type: 'text' }], stop_reason: 'end_turn' });
});

test('a failure as Anthropic words it', async () => {
  const messages = [{ role: 'user', content: '[[rate_limited]]' }];
  const response = await post(model, path, { messages });
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('request-id')).toMatch(/^req_fake_\d+$/);
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: { type: 'rate_limit_error' },
  });
});

test('tokens are counted', async () => {
  const count = await postWhole(model, '/v1/messages/count_tokens', { messages: [prompt] });
  expect(count).toEqual({ input_tokens: expect.any(Number) });
});
