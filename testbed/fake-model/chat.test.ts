import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeModel, startFakeModel } from './server.ts';
import { post, postStream, postWhole } from './testing.ts';

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  model.script('work', [
    { thinking: 'Hm.', text: ['Run', 'ning.'], tools: [{ shell: 'ls' }] },
    { text: 'Finished.' },
  ]);
});
afterAll(() => model.close());

const path = '/v1/chat/completions';
const tools = [
  { type: 'function', function: { name: 'bash', parameters: { properties: { command: {} } } } },
  { type: 'function', function: { name: 'read', parameters: { properties: { filePath: {} } } } },
];
const prompt = { role: 'user', content: '[[work]] go' };

test('a turn that streams', async () => {
  const events = await postStream(model, path, {
    model: 'gpt-x',
    stream: true,
    stream_options: { include_usage: true },
    tools,
    messages: [prompt],
  });
  const choices = events.flatMap((one) => one.data.choices ?? []);
  expect(choices).toMatchObject([
    { delta: { role: 'assistant' } },
    { delta: { reasoning_content: 'Hm.' } },
    { delta: { content: 'Run' } },
    { delta: { content: 'ning.' } },
    { delta: { tool_calls: [{ index: 0, function: { name: 'bash' } }] } },
    { delta: {}, finish_reason: 'tool_calls' },
  ]);
  expect(events.at(-2)?.data).toMatchObject({ choices: [], usage: { prompt_tokens: 1200 } });
});

test('usage streams only to those who ask', async () => {
  const response = await post(model, path, { stream: true, messages: [prompt] });
  const text = await response.text();
  expect(text).not.toContain('prompt_tokens');
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});

test('the turn after it, at once', async () => {
  const answer = await postWhole(model, path, {
    tools,
    messages: [prompt, { role: 'assistant', content: null }, { role: 'tool', content: 'x' }],
  });
  expect(answer).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'Finished.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1450, total_tokens: 1453 },
  });
});

test('a failure as OpenAI words it', async () => {
  const response = await post(model, path, { messages: [{ role: 'user', content: '[[quota]]' }] });
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
});
