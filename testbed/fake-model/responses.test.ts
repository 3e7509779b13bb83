import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeModel, startFakeModel } from './server.ts';
import { joined, postStream, postWhole } from './testing.ts';

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  model.script('work', [
    {
      thinking: 'Hm.',
      text: ['Run', 'ning.'],
      tools: [{ shell: 'ls' }, { write: { path: 'a', content: 'b' } }],
    },
    { text: 'Finished.' },
  ]);
});
afterAll(() => model.close());

const path = '/v1/responses';
const tools = [
  { type: 'function', name: 'exec_command', parameters: { properties: { cmd: {} } } },
  { type: 'custom', name: 'apply_patch' },
];
const input = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: '[[work]]' }] },
];

test('a turn that streams', async () => {
  const events = await postStream(model, path, { model: 'gpt-x', stream: true, tools, input });
  expect(events.map((one) => one.event)).toEqual(events.map((one) => one.data.type));
  expect(events.map((one) => one.data.sequence_number)).toEqual(events.map((_, index) => index));
  expect(events[0]?.event).toBe('response.created');
  expect(joined(events, 'response.reasoning_summary_text.delta', 'delta')).toBe('Hm.');
  expect(joined(events, 'response.output_text.delta', 'delta')).toBe('Running.');
  expect(joined(events, 'response.custom_tool_call_input.delta', 'delta')).toContain('+b\n');

  const items = events.filter((one) => one.event === 'response.output_item.done');
  const last = events.at(-1);
  expect(last?.event).toBe('response.completed');
  expect(last?.data.response).toMatchObject({
    output: items.map((one) => one.data.item),
    usage: { input_tokens: 1200, output_tokens_details: { reasoning_tokens: 1 } },
  });
  expect(items.map((one) => one.data.item)).toMatchObject([
    { type: 'reasoning' },
    { type: 'message', content: [{ type: 'output_text', text: 'Running.' }] },
    { type: 'function_call', name: 'exec_command' },
    { type: 'custom_tool_call', name: 'apply_patch' },
  ]);
});

test('the turn after it, at once, though the first one came back as four entries', async () => {
  const history = [
    { type: 'reasoning' },
    { type: 'message', role: 'assistant', content: [] },
    { type: 'function_call', call_id: 'a' },
    { type: 'custom_tool_call', call_id: 'b' },
    { type: 'function_call_output', call_id: 'a', output: '' },
    { type: 'custom_tool_call_output', call_id: 'b', output: '' },
  ];
  const answer = await postWhole(model, path, {
    model: 'gpt-x',
    tools,
    input: [...input, ...history],
  });
  expect(answer).toMatchObject({
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', content: [{ text: 'Finished.' }] }],
    usage: { input_tokens: 1450, input_tokens_details: { cached_tokens: 1024 } },
  });
});

test('a prompt may be a plain string', async () => {
  const answer = await postWhole(model, path, { input: '[[plain]]' });
  expect(answer).toMatchObject({
    output: [{ content: [{ text: 'Hello! This is a plain answer.' }] }],
  });
});

test('an answer that is cut off is incomplete', async () => {
  const events = await postStream(model, path, { stream: true, input: '[[max_tokens]]' });
  expect(events.at(-1)).toMatchObject({
    event: 'response.incomplete',
    data: { response: { incomplete_details: { reason: 'max_output_tokens' } } },
  });
});

test('a refusal is a part of its own kind', async () => {
  const events = await postStream(model, path, { stream: true, input: '[[refusal]]' });
  expect(joined(events, 'response.refusal.delta', 'delta')).toBe('I cannot help with that.');
});

test('too long a conversation fails inside the stream', async () => {
  const events = await postStream(model, path, { stream: true, input: '[[context_too_long]]' });
  expect(events).toMatchObject([
    {
      event: 'response.failed',
      data: { response: { error: { code: 'context_length_exceeded' } } },
    },
  ]);
});

test('models are listed', async () => {
  const response = await fetch(`${model.url}/v1/models`);
  expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'fake-model' }] });
});
