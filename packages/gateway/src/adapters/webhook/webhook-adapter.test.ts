import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { openStore } from '@baton/store';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type {
  Button,
  ButtonPress,
  ChannelReceiver,
  IncomingMessage,
} from '../../channel-adapter.ts';
import { neutralizeMentions } from '../../text/mentions.ts';
import { type ReplayList, signWebhook, TOLERANCE_MS } from './signature.ts';
import {
  WebhookAdapter,
  type WebhookAdapterOptions,
  type WebhookResult,
} from './webhook-adapter.ts';

const SECRET = 's'.repeat(32);
const PRESS_SECRET = 'p'.repeat(32);
const NOW = 1_800_000_000_000;
const MB = 1024 * 1024;
const ALLOW: Button = { label: 'Allow once', value: 'allow', style: 'primary' };
const CHANNEL = 'webhook:ci';
const MESSAGE = { channel: 'ci', user: 'bot', text: 'hello', id: '1' };
const FORGED = 'The signature is missing or wrong.';

type Options = Partial<WebhookAdapterOptions> & Partial<ChannelReceiver>;
type Answer = { status: number; headers: IncomingHttpHeaders; body: Record<string, unknown> };

async function started(options: Options = {}) {
  const results = new Map<string, WebhookResult>();
  const messages: IncomingMessage[] = [];
  const presses: ButtonPress[] = [];
  const warnings: string[] = [];
  const reads: string[] = [];
  const adapter = new WebhookAdapter({
    secret: SECRET,
    pressSecret: PRESS_SECRET,
    port: 0,
    replays: memory(),
    now: () => NOW,
    log: { warn: (warning) => void warnings.push(warning) },
    resultOf: async (_channelId, id) => {
      reads.push(id);
      return results.get(id);
    },
    ...options,
  });
  await adapter.start({
    allows: ({ userId }) => !userId.endsWith('stranger'),
    commands: [],
    onMessage: async (message) => {
      messages.push(message);
      if (message.userId === 'webhook:bot') results.set(message.messageId, { state: 'pending' });
    },
    onPress: async (press) => void presses.push(press),
    onCommand: async () => {},
    onGap: () => {},
    onEnd: () => {},
    ...options,
  });
  onTestFinished(() => adapter.stop());
  const post = poster(adapter);
  /** Ends a message as the gateway does. */
  const settle = (id: string, result: WebhookResult) => {
    results.set(id, result);
    adapter.onSettled(CHANNEL);
  };
  return { adapter, post, results, messages, presses, warnings, reads, settle };
}

function memory(): ReplayList {
  const used = new Set<string>();
  return {
    remember: async (signature) => {
      const isNew = !used.has(signature);
      used.add(signature);
      return isNew;
    },
  };
}

let lastTime = NOW;

/** The headers of a signed request; every one has another timestamp. */
function signed(
  body: string,
  timestamp = String(++lastTime),
  secret = SECRET,
): Record<string, string> {
  const signature = signWebhook(secret, { timestamp, body });
  return { 'x-baton-timestamp': timestamp, 'x-baton-signature': signature };
}

/** The headers of a request, signed with the secret of its path. */
function signedFor(path: string, body: string): Record<string, string> {
  return signed(body, undefined, path === '/presses' ? PRESS_SECRET : SECRET);
}

type Sent = { headers?: Record<string, string>; method?: string };

function poster(adapter: WebhookAdapter) {
  return async (path: string, content: unknown, { headers, method = 'POST' }: Sent = {}) => {
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    const sent = httpRequest(`${adapter.url}${path}`, {
      method,
      headers: { ...(headers ?? signedFor(path, body)), 'Content-Length': Buffer.byteLength(body) },
      agent: false,
    });
    const wholeSent = once(sent, 'finish');
    sent.end(body);
    const [response] = await once(sent, 'response');
    await wholeSent;
    const answer: Answer = {
      status: response.statusCode,
      headers: response.headers,
      body: JSON.parse(await textOf(response)),
    };
    return answer;
  };
}

function failure(message: string): unknown {
  return { error: expect.objectContaining({ message }) };
}

describe('WebhookAdapter: signatures', () => {
  test.each<[string, (body: string) => Record<string, string>]>([
    ['without a signature', () => ({})],
    [
      'with a forged signature',
      (body) => ({ ...signed(`${body} `), 'x-baton-timestamp': `${NOW}` }),
    ],
    ['with a malformed signature', (body) => ({ ...signed(body), 'x-baton-signature': 'XYZ' })],
    ['with a malformed timestamp', (body) => signed(body, 'yesterday')],
  ])('rejects a request %s', async (_what, headersOf) => {
    const { post, messages } = await started();
    const body = JSON.stringify(MESSAGE);
    const { status, body: shown } = await post('/messages', body, { headers: headersOf(body) });
    expect(status).toBe(401);
    expect(shown).toEqual(failure(FORGED));
    expect(messages).toEqual([]);
  });

  test('does not parse a body that is not signed', async () => {
    const { post } = await started();
    const { status, body } = await post('/messages', '{broken', { headers: {} });
    expect({ status, body }).toEqual({ status: 401, body: failure(FORGED) });
  });

  test('says that a timestamp is too old only if the signature is valid', async () => {
    const { post } = await started();
    const old = String(NOW - TOLERANCE_MS - 1);
    const headers = signed(JSON.stringify(MESSAGE), old);
    expect(await post('/messages', MESSAGE, { headers })).toMatchObject({
      status: 401,
      body: failure(
        'The timestamp differs by more than five minutes from the time of the gateway.',
      ),
    });
    const forged = { ...headers, 'x-baton-signature': '0'.repeat(64) };
    expect((await post('/messages', MESSAGE, { headers: forged })).body).toEqual(failure(FORGED));
  });

  test('rejects a replayed request, also after a restart', async () => {
    const store = await openStore({ url: ':memory:', now: () => NOW });
    onTestFinished(() => store.close());
    const replays = store.gatewaySignatures;
    const first = await started({ replays });
    const headers = signed(JSON.stringify(MESSAGE));
    expect((await first.post('/messages', MESSAGE, { headers })).status).toBe(202);
    const replayed = { status: 401, body: failure('The signature was used before.') };
    expect(await first.post('/messages', MESSAGE, { headers })).toMatchObject(replayed);
    await first.adapter.stop();
    const second = await started({ replays });
    expect(await second.post('/messages', MESSAGE, { headers })).toMatchObject(replayed);
    expect(second.messages).toEqual([]);
  });

  test('reports an internal error without its text', async () => {
    const remember = () => Promise.reject(new Error('database: secret'));
    const { post, warnings } = await started({ replays: { remember } });
    expect(await post('/messages', MESSAGE)).toMatchObject({
      status: 500,
      body: { error: { message: 'Internal error.' } },
    });
    expect(warnings).toEqual(['A webhook request failed: database: secret']);
  });

  test('refuses a short secret and an address that others reach', () => {
    const options = { port: 0, replays: memory(), log: console, resultOf: async () => undefined };
    expect(() => new WebhookAdapter({ ...options, secret: 'short' })).toThrow(
      'The webhook secret must have at least 32 characters.',
    );
    for (const host of ['0.0.0.0', '::', '192.168.0.1', 'example.com', '127.0.0.1.example.com']) {
      expect(() => new WebhookAdapter({ ...options, secret: SECRET, host })).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      );
    }
  });
});

describe('WebhookAdapter: secrets', () => {
  const PRESS = { channel: 'ci', user: 'bot', message: 'm', value: 'allow' };

  test('takes presses and messages only with their own secret', async () => {
    const { post, presses, messages } = await started();
    const body = JSON.stringify(PRESS);
    const asMessage = { headers: signed(body, undefined, SECRET) };
    expect((await post('/presses', PRESS, asMessage)).status).toBe(401);
    const asPress = { headers: signed(JSON.stringify(MESSAGE), undefined, PRESS_SECRET) };
    expect((await post('/messages', MESSAGE, asPress)).status).toBe(401);
    expect([presses, messages]).toEqual([[], []]);
    expect((await post('/presses', PRESS)).status).toBe(200);
    expect(presses).toHaveLength(1);
  });

  test('takes no presses without a secret for them', async () => {
    const { post, presses } = await started({ pressSecret: undefined });
    const body = JSON.stringify(PRESS);
    for (const secret of [SECRET, PRESS_SECRET]) {
      const answer = await post('/presses', PRESS, { headers: signed(body, undefined, secret) });
      expect(answer).toMatchObject({
        status: 403,
        body: failure('The gateway takes no presses: it has no secret for them.'),
      });
    }
    expect(presses).toEqual([]);
    expect((await post('/messages', MESSAGE)).status).toBe(202);
  });
});

describe('WebhookAdapter: requests', () => {
  test.each([
    ['GET', '/messages', 405],
    ['PUT', '/presses', 405],
    ['POST', '/', 404],
    ['POST', '/messages/', 404],
    ['POST', '/constructor', 404],
  ])('rejects %s %s', async (method, path, status) => {
    const { post } = await started();
    const answer = await post(path, MESSAGE, { method });
    expect(answer.status).toBe(status);
    expect(answer.headers.allow).toBe(status === 405 ? 'POST' : undefined);
    expect(answer.body).toEqual({
      error: expect.objectContaining({ message: expect.any(String) }),
    });
  });

  test.each([
    ['Origin', 'http://localhost'],
    ['Origin', 'null'],
    ['Host', 'attacker.example'],
    ['Host', '127.0.0.1.attacker.example:80'],
    ['Host', 'localhost@attacker.example'],
  ])('rejects a request with %s: %s', async (name, value) => {
    const { post, messages } = await started();
    const headers = { ...signed(JSON.stringify(MESSAGE)), [name]: value };
    const answer = await post('/messages', MESSAGE, { headers });
    expect(answer.status).toBe(403);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(messages).toEqual([]);
  });

  test('accepts every name of this machine', async () => {
    const { post } = await started({ host: 'localhost' });
    for (const Host of ['localhost', '127.0.0.1:8080', '[::1]:80']) {
      const headers = { ...signed(JSON.stringify(MESSAGE)), Host };
      expect((await post('/messages', MESSAGE, { headers })).status).toBe(202);
    }
  });

  test('rejects a body that is announced as too large', async () => {
    const { adapter } = await started();
    const socket = open(adapter);
    socket.write(head(`Content-Length: ${11 * MB}`));
    expect(await statusLine(socket)).toBe('HTTP/1.1 413 Payload Too Large');
  });

  test('rejects a body that becomes too large, and the client can read why', async () => {
    const { adapter, post } = await started();
    const socket = open(adapter);
    socket.write(head('Transfer-Encoding: chunked'));
    socket.write(`${(11 * MB).toString(16)}\r\n${' '.repeat(11 * MB)}\r\n`);
    expect(await statusLine(socket)).toBe('HTTP/1.1 413 Payload Too Large');
    const { status, body } = await post('/messages', ' '.repeat(11 * MB), { headers: {} });
    expect({ status, body }).toEqual({
      status: 413,
      body: failure('The body is larger than 10 MB.'),
    });
  });

  test('gives up on a body that does not arrive', async () => {
    const { adapter } = await started({ requestTimeoutMs: 20 });
    const socket = open(adapter);
    socket.write(`${head('Content-Length: 100')}{"channel"`);
    expect(await statusLine(socket)).toBe('HTTP/1.1 408 Request Timeout');
    await once(socket.resume(), 'close');
  });

  test('answers what is not HTTP in JSON', async () => {
    const { adapter } = await started();
    const socket = open(adapter);
    socket.write('nonsense\r\n\r\n');
    const shown = await textOf(socket);
    expect(JSON.parse(shown.slice(shown.indexOf('\r\n\r\n')))).toEqual(
      failure('Malformed request.'),
    );
  });

  test.each<[string, unknown]>([
    ['The body is not valid JSON in UTF-8.', '{'],
    ['the body must be an object.', []],
    ['channel must be a string.', { ...MESSAGE, channel: 1 }],
    ['channel must not be empty.', { ...MESSAGE, channel: '' }],
    ['user must be a string.', { channel: 'ci', text: 'hello' }],
    ['id is longer than 200 characters.', { ...MESSAGE, id: 'x'.repeat(201) }],
    ['id must not have control characters.', { ...MESSAGE, id: 'a\u0000' }],
    ['wait must be at most 60.', { ...MESSAGE, wait: 61 }],
    ['wait must be a number.', { ...MESSAGE, wait: '5' }],
    ['text must not be empty.', { ...MESSAGE, text: ' ' }],
    ['Unknown field "txt" in the body.', { ...MESSAGE, txt: '' }],
    ['files[0].name must be a string.', { ...MESSAGE, files: [{ mediaType: 'a/b', data: '' }] }],
    [
      'files[0].mediaType must be a media type.',
      { ...MESSAGE, files: [{ name: 'a', mediaType: 'a', data: '' }] },
    ],
    [
      'files[0].data must be Base64 with padding.',
      { ...MESSAGE, files: [{ name: 'a', mediaType: 'a/b', data: 'a b' }] },
    ],
    [
      'files must not have more than 5 MB together.',
      {
        ...MESSAGE,
        files: [3, 3].map((size) => ({
          name: 'a',
          mediaType: 'a/b',
          data: Buffer.alloc(size * MB).toString('base64'),
        })),
      },
    ],
  ])('rejects an invalid body: %s', async (message, content) => {
    const { post, messages } = await started();
    const { status, body } = await post('/messages', content);
    expect({ status, body }).toEqual({ status: 400, body: failure(message) });
    expect(messages).toEqual([]);
  });
});

describe('WebhookAdapter: messages', () => {
  test('hands over a message and answers that it is pending', async () => {
    const { post, messages } = await started();
    const { status, body } = await post('/messages', MESSAGE);
    expect(status).toBe(202);
    expect(body).toEqual({ id: '1', channel: 'ci', state: 'pending', requests: [] });
    expect(messages).toEqual([
      {
        channelId: CHANNEL,
        messageId: '1',
        userId: 'webhook:bot',
        isDirect: false,
        text: 'hello',
        files: [],
      },
    ]);
  });

  test('chooses an id for a message without one', async () => {
    const { post, messages } = await started();
    const ids = [];
    for (const _ of [1, 2])
      ids.push((await post('/messages', { ...MESSAGE, id: undefined })).body.id);
    expect(new Set(ids).size).toBe(2);
    expect(messages.map(({ messageId }) => messageId)).toEqual(ids);
  });

  test('hands over a message with the same id once and returns its stored answer', async () => {
    const { post, messages, settle } = await started();
    await post('/messages', MESSAGE);
    expect((await post('/messages', MESSAGE)).status).toBe(202);
    settle('1', { state: 'answered', text: 'Hi.' });
    expect(await post('/messages', MESSAGE)).toMatchObject({
      status: 200,
      body: { id: '1', channel: 'ci', state: 'answered', text: 'Hi.' },
    });
    expect(messages).toHaveLength(1);
  });

  test('returns a stored answer after a restart', async () => {
    const { post, results, messages } = await started();
    results.set('1', { state: 'answered', text: 'Hi.' });
    expect((await post('/messages', MESSAGE)).body).toMatchObject({ text: 'Hi.' });
    expect(messages).toEqual([]);
  });

  test('waits for the answer', async () => {
    const { adapter, post, reads, settle } = await started();
    const answer = post('/messages', { ...MESSAGE, wait: 60 });
    await vi.waitFor(() => expect(reads).toHaveLength(2));
    await adapter.send(CHANNEL, { text: 'H', isDraft: true, replyTo: '1' }, 'live');
    expect(reads, 'a draft answers nothing').toHaveLength(2);
    // The store says that the message is answered only after this.
    await adapter.send(CHANNEL, { text: 'Hi.', replyTo: '1' }, 'n');
    await vi.waitFor(() => expect(reads).toHaveLength(3));
    settle('1', { state: 'answered', text: 'Hi.' });
    expect(await answer).toMatchObject({ status: 200, body: { state: 'answered', text: 'Hi.' } });
  });

  test('does not miss an answer that is stored while the result is read', async () => {
    const results: (WebhookResult | undefined)[] = [undefined, { state: 'pending' }];
    const { adapter, post } = await started({
      resultOf: async () => {
        const result = results.length > 0 ? results.shift() : { state: 'answered' as const };
        // The message ends after its state was read, before the reader knows.
        if (result) adapter.onSettled(CHANNEL);
        return result;
      },
    });
    expect((await post('/messages', { ...MESSAGE, wait: 60 })).body.state).toBe('answered');
  });

  test('answers that a message is pending when the time is up', async () => {
    const { post } = await started();
    const { status, body } = await post('/messages', { ...MESSAGE, wait: 0.01 });
    expect({ status, state: body.state }).toEqual({ status: 202, state: 'pending' });
  });

  test('reports a failed message with the request that retries it', async () => {
    const { adapter, post, settle } = await started();
    await post('/messages', MESSAGE);
    const retry: Button = { label: 'Retry', value: 'retry', style: 'primary' };
    const message = { text: 'It crashed.', buttons: [[retry]], replyTo: '1' };
    const id = await adapter.send(CHANNEL, message, 'n');
    settle('1', { state: 'failed', error: 'It crashed.', canRetry: true });
    expect(await post('/messages', MESSAGE)).toMatchObject({
      status: 200,
      body: {
        state: 'failed',
        error: 'It crashed.',
        canRetry: true,
        requests: [{ message: id, buttons: [{ label: 'Retry', value: 'retry' }] }],
      },
    });
  });

  test('does not report the retry of a failed run as a request', async () => {
    const { adapter, post, settle } = await started();
    await post('/messages', MESSAGE);
    const waiting = post('/messages', { ...MESSAGE, wait: 60 });
    // The reply is sent before the message counts as failed.
    const retry: Button = { label: 'Retry', value: 'retry:1', style: 'secondary' };
    await adapter.send(CHANNEL, { text: 'It crashed.', buttons: [[retry]], replyTo: '1' }, 'n');
    const polled = await post('/messages', MESSAGE);
    expect(polled.body).toMatchObject({ state: 'pending', requests: [] });
    settle('1', { state: 'failed', error: 'It crashed.', canRetry: true });
    expect((await waiting).body).toMatchObject({ state: 'failed', requests: [{ replyTo: '1' }] });
  });

  test('reports the retry of a message whose draft an earlier process sent', async () => {
    const { adapter, post, results } = await started();
    results.set('1', { state: 'failed', error: 'Interrupted.', canRetry: true });
    await adapter.edit(CHANNEL, 'draft', { text: 'Interrupted.', buttons: [[ALLOW]] });
    await adapter.send(CHANNEL, { text: 'Other.', buttons: [[ALLOW]], replyTo: '2' }, 'n');
    expect((await post('/messages', MESSAGE)).body.requests).toMatchObject([{ message: 'draft' }]);
  });

  test('reports a rejected message', async () => {
    const { post, results } = await started();
    results.set('1', { state: 'rejected' });
    expect(await post('/messages', MESSAGE)).toMatchObject({
      status: 429,
      body: { state: 'rejected', error: { message: 'Too many messages are pending.' } },
    });
  });

  test('takes a message that answers a question of the agent', async () => {
    const { post } = await started({ onMessage: async () => {} });
    expect(await post('/messages', MESSAGE)).toMatchObject({
      status: 200,
      body: { state: 'answered' },
    });
  });

  test('reports a user who is not allowed', async () => {
    const { post } = await started();
    expect(await post('/messages', { ...MESSAGE, user: 'stranger' })).toMatchObject({
      status: 403,
      body: { error: { message: 'The user or channel is not on the allow-list.' } },
    });
    const press = { channel: 'ci', user: 'stranger', message: '1', value: 'x' };
    expect(await post('/presses', press)).toMatchObject({ status: 403 });
  });

  test('answers a command, which is not stored, with its reply', async () => {
    const commands: string[] = [];
    const onMessage = async ({ text, messageId }: IncomingMessage) => {
      commands.push(text);
      await adapter.send(CHANNEL, { text: 'Stopped.', replyTo: messageId }, 'n');
    };
    const { adapter, post } = await started({ onMessage });
    for (const _ of [1, 2]) {
      expect(await post('/messages', { ...MESSAGE, text: '/stop' })).toMatchObject({
        status: 200,
        body: { state: 'answered', text: 'Stopped.' },
      });
    }
    expect(commands).toEqual(['/stop']);
  });

  test('asks to repeat a message that could not be stored', async () => {
    const onMessage = () => Promise.reject(new Error('disk full'));
    const { post, warnings } = await started({ onMessage });
    const { status, body } = await post('/messages', MESSAGE);
    expect(status).toBe(503);
    expect(body).toEqual({
      error: {
        message: 'The message could not be stored.',
        hint: 'Send it again with the id "1".',
      },
    });
    expect(warnings).toEqual(['A webhook message could not be stored: disk full']);
  });

  test('hands over the messages of a channel one after another', async () => {
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const onMessage = async ({ messageId }: IncomingMessage) => {
      order.push(`begin ${messageId}`);
      if (messageId === '1') await first.promise;
      order.push(`end ${messageId}`);
    };
    const { post } = await started({ onMessage });
    const one = post('/messages', MESSAGE);
    await vi.waitFor(() => expect(order).toEqual(['begin 1']));
    const two = post('/messages', { ...MESSAGE, id: '2' });
    const other = post('/messages', { ...MESSAGE, channel: 'other', id: '3' });
    await other;
    expect(order).toEqual(['begin 1', 'begin 3', 'end 3']);
    first.resolve();
    await Promise.all([one, two]);
    expect(order.slice(3)).toEqual(['end 1', 'begin 2', 'end 2']);
  });
});

describe('WebhookAdapter: files', () => {
  test('keeps received files in the message, so that they survive a restart', async () => {
    const { adapter, post, messages } = await started();
    const data = Buffer.from('hello').toString('base64');
    await post('/messages', {
      ...MESSAGE,
      text: '',
      files: [{ name: 'a.txt', mediaType: 'text/plain', data }],
    });
    const [file] = messages[0]?.files ?? [];
    expect(file).toEqual({
      source: `data:text/plain;base64,${data}`,
      name: 'a.txt',
      mediaType: 'text/plain',
      bytes: 5,
    });
    if (file) expect(Buffer.from(await adapter.download(file)).toString()).toBe('hello');
  });

  test('returns the files of an answer', async () => {
    const { adapter, post, settle } = await started();
    await post('/messages', MESSAGE);
    const files = [{ name: 'a.bin', mediaType: 'a/b', content: new Uint8Array([0, 255]) }];
    await adapter.send(CHANNEL, { text: 'Hi.', replyTo: '1', files }, 'n');
    await adapter.send(CHANNEL, { text: 'Other.', replyTo: '2', files }, 'other');
    settle('1', { state: 'answered', text: 'Hi.' });
    expect((await post('/messages', MESSAGE)).body).toEqual({
      id: '1',
      channel: 'ci',
      state: 'answered',
      text: 'Hi.',
      files: [{ name: 'a.bin', mediaType: 'a/b', data: 'AP8=' }],
    });
  });
});

describe('WebhookAdapter: requests of the agent', () => {
  test('lists open requests of the channel', async () => {
    const { adapter, post } = await started();
    await post('/messages', MESSAGE);
    const id = await adapter.send(
      CHANNEL,
      { text: 'Run it?', buttons: [[ALLOW]], replyTo: '1' },
      'n',
    );
    await adapter.send('webhook:other', { text: 'Run it?', buttons: [[ALLOW]] }, 'n');
    const stop: Button = { label: 'Stop', value: 'stop', style: 'danger' };
    await adapter.send(CHANNEL, { text: 'Wor', buttons: [[stop]], isDraft: true }, 'live');
    expect((await post('/messages', MESSAGE)).body.requests).toEqual([
      {
        message: id,
        replyTo: '1',
        text: 'Run it?',
        buttons: [{ label: 'Allow once', value: 'allow' }],
      },
    ]);
    await adapter.edit(CHANNEL, id, { text: 'Allowed.' });
    expect((await post('/messages', MESSAGE)).body.requests).toEqual([]);
  });

  test('ends a wait when a request opens, once', async () => {
    const { adapter, post, reads, settle } = await started();
    const first = post('/messages', { ...MESSAGE, wait: 60 });
    await vi.waitFor(() => expect(reads).toHaveLength(2));
    await adapter.send(CHANNEL, { text: 'Run it?', buttons: [[ALLOW]] }, 'n');
    expect(await first).toMatchObject({ status: 202, body: { requests: [{ text: 'Run it?' }] } });
    const second = post('/messages', { ...MESSAGE, wait: 60 });
    await vi.waitFor(() => expect(reads).toHaveLength(5));
    settle('1', { state: 'answered', text: 'Hi.' });
    expect(await second).toMatchObject({ status: 200, body: { text: 'Hi.' } });
  });

  test('reports a press and returns its acknowledgement', async () => {
    const presses: ButtonPress[] = [];
    const { post } = await started({
      onPress: async (press) => {
        presses.push(press);
        await press.acknowledge('Allowed.');
      },
    });
    const press = { channel: 'ci', user: 'bot', message: 'm', value: 'allow' };
    expect(await post('/presses', press)).toMatchObject({
      status: 200,
      body: { text: 'Allowed.' },
    });
    expect(presses).toEqual([
      expect.objectContaining({
        channelId: CHANNEL,
        userId: 'webhook:bot',
        isDirect: false,
        messageId: 'm',
        value: 'allow',
      }),
    ]);
    const { status, body } = await post('/presses', { ...press, message: 1 });
    expect({ status, body }).toEqual({ status: 400, body: failure('message must be a string.') });
  });

  test('answers a press that is not acknowledged', async () => {
    const { post, presses } = await started();
    const { status, body } = await post('/presses', {
      channel: 'ci',
      user: 'bot',
      message: 'm',
      value: '',
    });
    expect({ status, body }).toEqual({ status: 200, body: {} });
    expect(presses).toHaveLength(1);
  });

  test('keeps a message with the same nonce once per channel', async () => {
    const { adapter } = await started();
    const send = (channelId: string) => adapter.send(channelId, { text: 'hi' }, 'n');
    expect(await send(CHANNEL)).toBe(await send(CHANNEL));
    expect(await send('webhook:other')).not.toBe(await send(CHANNEL));
  });

  test('has no mentions and no history', async () => {
    const { adapter } = await started();
    expect(neutralizeMentions('@everyone', adapter.mentions)).toBe('@everyone');
    for await (const message of adapter.messagesAfter()) expect.unreachable(message.text);
  });
});

describe('WebhookAdapter: stop', () => {
  test('answers requests that wait with their state, and listens no longer', async () => {
    const { adapter, post, reads } = await started();
    const idle = open(adapter);
    await once(idle, 'connect');
    const waiting = post('/messages', { ...MESSAGE, wait: 60 });
    await vi.waitFor(() => expect(reads).toHaveLength(2));
    const { url } = adapter;
    const closed = once(idle.resume(), 'close');
    await adapter.stop();
    expect(await waiting).toMatchObject({ status: 202, body: { state: 'pending' } });
    await closed;
    await expect(fetch(url)).rejects.toThrow();
  });

  test('does not wait for a client that is still sending', async () => {
    const { adapter } = await started();
    const socket = open(adapter);
    socket.write(`${head('Content-Length: 100', 'Expect: 100-continue')}`);
    expect(await statusLine(socket)).toBe('HTTP/1.1 100 Continue');
    const rest = textOf(socket);
    await adapter.stop();
    expect(await rest).toContain('HTTP/1.1 503');
  });
});

function open(adapter: WebhookAdapter): Socket {
  const socket = connect(Number(new URL(adapter.url).port), '127.0.0.1');
  // A server may close a connection while a client still writes.
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

function head(...headers: string[]): string {
  return ['POST /messages HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');
}

async function statusLine(socket: Socket): Promise<string> {
  const [data] = await once(socket, 'data');
  return String(data).split('\r\n')[0] ?? '';
}
