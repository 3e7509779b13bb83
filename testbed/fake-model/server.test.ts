import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeModel, startFakeModel } from './server.ts';
import type { Step } from './steps.ts';
import { post, postStream, postWhole } from './testing.ts';

let model: FakeModel;
beforeEach(async () => {
  model = await startFakeModel();
});
afterEach(() => model.close());

const path = '/v1/messages';

function ask(steps: Step[], options: { stream: boolean } = { stream: true }): Promise<Response> {
  model.script('key', steps);
  return askAgain(options);
}

function askAgain(options: { stream: boolean } = { stream: true }): Promise<Response> {
  const messages = [{ role: 'user', content: '[[key]]' }];
  const tools = [{ name: 'Bash' }];
  return post(model, path, { ...options, tools, messages });
}

test('requests are recorded with their key and step but without their secrets', async () => {
  const messages = [{ role: 'user', content: '[[plain]]' }];
  const secrets = { 'x-api-key': 'sk-secret', authorization: 'Bearer sk-secret', accept: 'a/b' };
  await post(model, `${path}?beta=true&key=sk-secret`, { messages }, secrets);
  expect(model.requests).toMatchObject([
    {
      api: 'anthropic',
      method: 'POST',
      path: '/v1/messages?beta=true&key=***',
      headers: { 'x-api-key': '***', authorization: 'Bearer ***', accept: 'a/b' },
      body: { messages },
      key: 'plain',
      step: 0,
    },
  ]);
  expect(JSON.stringify(model.requests)).not.toContain('sk-secret');
});

test('the ping of an agent and an unknown path are recorded too', async () => {
  const ping = await fetch(model.url, { method: 'HEAD' });
  const lost = await post(model, '/v1/nowhere', {});
  expect([ping.status, lost.status]).toEqual([200, 404]);
  expect(model.requests.map((request) => request.path)).toEqual(['/', '/v1/nowhere']);
});

test('reset forgets scripts and requests', async () => {
  await ask([{ text: 'scripted' }]);
  model.reset();
  expect(model.requests).toEqual([]);
  expect(await (await askAgain()).text()).toContain('Hello from');
});

test('two servers give the same ids', async () => {
  const other = await startFakeModel();
  const body = { messages: [{ role: 'user', content: '[[plain]]' }] };
  expect(await postWhole(other, path, body)).toEqual(await postWhole(model, path, body));
  await other.close();
});

test('a failing status has the body of the vendor unless the script has one', async () => {
  const usual = await ask([{ status: 403 }]);
  expect([usual.status, await usual.json()]).toMatchObject([
    403,
    { error: { type: 'permission_error' } },
  ]);
  const own = await ask([{ status: 418, body: 'teapot', headers: { 'retry-after': '7' } }]);
  expect([own.status, await own.text(), own.headers.get('retry-after')]).toEqual([
    418,
    'teapot',
    '7',
  ]);
});

test('a proxy in the way answers with a page', async () => {
  const response = await ask([{ fault: 'html502' }]);
  expect(response.headers.get('content-type')).toBe('text/html');
  expect(await response.text()).toContain('502 Bad Gateway');
});

test('a script that the agent has no tool for is reported to its author', async () => {
  model.script('key', [{ tools: [{ shell: 'ls' }] }]);
  const messages = [{ role: 'user', content: '[[key]]' }];
  const response = await post(model, path, { tools: [{ name: 'fly' }], messages });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('among: fly');
});

test('dropped before the headers', async () => {
  await expect(ask([{ drop: 'before-headers' }])).rejects.toThrow('fetch failed');
});

test('dropped in the middle: the response ends, the answer does not', async () => {
  const text = await (await ask([{ drop: 'mid-stream' }])).text();
  expect(text).toContain('content_block_delta');
  expect(text).not.toContain('message_stop');
});

test('dropped in the middle without a stream: the JSON is cut', async () => {
  const response = await ask([{ drop: 'mid-stream' }], { stream: false });
  await expect(response.json()).rejects.toThrow(SyntaxError);
});

test('dropped hard: the connection breaks after the first delta', async () => {
  const response = await ask([{ drop: 'hard' }]);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
});

test('a fault that strikes once lets the next request through', async () => {
  await expect(ask([{ drop: 'before-headers', times: 1 }, { text: 'ok' }])).rejects.toThrow();
  expect(await (await askAgain()).text()).toContain('"text":"ok"');
});

const HOUR = 3_600_000;

/** Another request from its beginning to its end. */
function meanwhile(): Promise<unknown> {
  return postWhole(model, path, { messages: [{ role: 'user', content: '[[plain]]' }] });
}

test('a pause before the answer: a later request is answered first', async () => {
  let answered = false;
  const waiting = ask([{ text: 'late', delayMs: HOUR }]).then(
    () => {
      answered = true;
    },
    () => {},
  );
  await expect.poll(() => model.requests.length).toBe(1);
  await meanwhile();
  expect(answered).toBe(false);
  await model.close();
  await waiting;
});

test('a pause after every delta: a request during it is answered before the next delta', async () => {
  const response = await ask([{ text: ['a', 'b', 'c'], deltaDelayMs: HOUR }]);
  const came: Uint8Array[] = [];
  const read = () => Buffer.concat(came).toString();
  const reading = response.body
    ?.pipeTo(new WritableStream({ write: (chunk) => void came.push(chunk) }))
    .catch(() => {});
  await expect.poll(read).toContain('"text":"a"');
  await meanwhile();
  expect(read()).not.toContain('"text":"b"');
  await model.close();
  await reading;
});

test('an answer with pauses arrives whole', async () => {
  const text = await (await ask([{ text: ['a', 'b'], delayMs: 1, deltaDelayMs: 1 }])).text();
  expect(text).toMatch(/"text":"a".*"text":"b".*message_stop/s);
});

test('characters are split between the chunks that an agent receives', async () => {
  const body = { stream: true, messages: [{ role: 'user', content: '[[emoji]]' }] };
  const response = await post(model, path, body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  const broken = chunks.filter((chunk) => Buffer.from(chunk).toString().includes('\ufffd'));
  expect(broken).not.toEqual([]);
  expect(Buffer.concat(chunks).toString()).toContain('日本語');
});

test('a long answer arrives whole', async () => {
  const body = { messages: [{ role: 'user', content: '[[long]]' }] };
  const text = JSON.stringify(await postWhole(model, path, body));
  expect(text.length).toBeGreaterThan(1024 * 1024);
});

test('an empty answer has no content', async () => {
  const body = { messages: [{ role: 'user', content: '[[empty]]' }] };
  expect(await postWhole(model, path, body)).toMatchObject({ content: [] });
  const types = (await postStream(model, path, { ...body, stream: true })).map((one) => one.event);
  expect(types).toEqual(['message_start', 'ping', 'message_delta', 'message_stop']);
});

test('close ends what hangs, what pauses and what is kept alive', async () => {
  const before = process.getActiveResourcesInfo().length;
  const other = await startFakeModel();
  const messages = (key: string) => ({ messages: [{ role: 'user', content: `[[${key}]]` }] });
  const waiting = [
    post(other, path, messages('hang')),
    post(other, path, { ...messages('stall'), stream: true }).then((response) => response.text()),
    post(other, path, { ...messages('slow'), stream: true }).then((response) => response.text()),
  ].map((one) => one.catch((error: Error) => error.message));
  await post(other, path, messages('plain'));
  while (other.requests.length < 4) await sleep(5);

  await other.close();

  expect(await Promise.all(waiting)).toEqual(['fetch failed', 'terminated', 'terminated']);
  await expect(fetch(other.url)).rejects.toThrow('fetch failed');
  await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
});

test('agents that hang up leave no timers behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const controller = new AbortController();
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: '[[slow]]' }] });
  const request = { method: 'POST', body, signal: controller.signal };
  const many = Array.from({ length: 20 }, () => fetch(`${model.url}${path}`, request));
  await Promise.all(many);
  await expect.poll(timers).toBeGreaterThanOrEqual(20);
  controller.abort();
  await expect.poll(timers).toBeLessThan(20);
});
