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

const path = '/v1beta/models/gemini-x';
const tools = [
  {
    functionDeclarations: [
      { name: 'run_shell_command', parametersJsonSchema: { properties: { command: {} } } },
    ],
  },
];
const prompt = { role: 'user', parts: [{ text: '[[work]] go' }] };

test('a turn that streams', async () => {
  const body = { tools, contents: [prompt] };
  const events = await postStream(model, `${path}:streamGenerateContent?alt=sse`, body);
  expect(events.flatMap((one) => one.data.candidates)).toMatchObject([
    { content: { parts: [{ text: 'Hm.', thought: true }] } },
    { content: { parts: [{ text: 'Run' }] } },
    { content: { parts: [{ text: 'ning.' }] } },
    {
      content: {
        parts: [{ functionCall: { name: 'run_shell_command', args: { command: 'ls' } } }],
      },
    },
    { finishReason: 'STOP' },
  ]);
  expect(events.at(-1)?.data).toMatchObject({
    modelVersion: 'gemini-x',
    usageMetadata: { promptTokenCount: 1200, thoughtsTokenCount: 1 },
  });
});

test('the turn after it, at once', async () => {
  const contents = [
    prompt,
    { role: 'model', parts: [{ functionCall: {} }] },
    { role: 'user', parts: [{ functionResponse: {} }] },
  ];
  const answer = await postWhole(model, `${path}:generateContent`, { tools, contents });
  expect(answer).toMatchObject({
    candidates: [
      { content: { role: 'model', parts: [{ text: 'Finished.' }] }, finishReason: 'STOP' },
    ],
  });
});

test('a failure as Google words it', async () => {
  const contents = [{ role: 'user', parts: [{ text: '[[not_found_model]]' }] }];
  const response = await post(model, `${path}:generateContent`, { contents });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    error: { status: 'NOT_FOUND', message: expect.stringContaining('models/gemini-x') },
  });
});

test('tokens are counted', async () => {
  const count = await postWhole(model, `${path}:countTokens`, { contents: [prompt] });
  expect(count).toEqual({ totalTokens: expect.any(Number) });
});
