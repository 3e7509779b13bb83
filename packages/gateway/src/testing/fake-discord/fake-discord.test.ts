import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type FakeDiscord, startFakeDiscord } from './fake-discord.ts';
import { INTENT } from './gateway-session.ts';
import type { FakeDiscordOptions } from './options.ts';
import { pingsOf } from './pings.ts';

const INTENTS = INTENT.guilds | INTENT.guildMessages;

test('rejects requests without the token of the bot', async () => {
  await using world = await open();
  const response = await fetch(`${world.discord.apiUrl}/v10/users/@me`);
  expect([response.status, await response.json()]).toEqual([
    401,
    { message: '401: Unauthorized', code: 0 },
  ]);
});

test('rejects messages that break a rule, with the error codes of Discord', async () => {
  await using world = await open();
  const button = (id: string) => ({ type: 2, style: 1, label: id, custom_id: id });
  const row = (...ids: string[]) => ({ type: 1, components: ids.map(button) });
  for (const [body, status, code] of [
    [{ content: 'x'.repeat(2001) }, 400, 50035],
    [{ content: ' ' }, 400, 50006],
    [{ content: 'x', nonce: 'x'.repeat(26) }, 400, 50035],
    [{ content: 'x', components: [row('1', '2', '3', '4', '5', '6')] }, 400, 50035],
    [{ content: 'x', components: [row('1'), row('1')] }, 400, 50035],
    [{ content: 'x', components: [row('x'.repeat(101))] }, 400, 50035],
    [{ content: 'x', message_reference: { message_id: '1' } }, 400, 50035],
  ] as const) {
    world.discord.addChannel();
    const answer = await world.send(body, world.discord.addChannel());
    expect(answer).toMatchObject({ status, body: { code } });
  }
});

test('limits messages per channel and says when to continue', async () => {
  await using world = await open({ sendLimit: { limit: 2, perMs: 60_000 } });
  const { discord } = world;
  for (const remaining of ['1', '0']) {
    const { status, headers } = await world.send({ content: 'x' });
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, remaining]);
  }
  const { status, body, headers } = await world.send({ content: 'x' });
  expect(status).toBe(429);
  expect(body).toMatchObject({ global: false, retry_after: expect.any(Number) });
  expect(headers.get('x-ratelimit-bucket')).toMatch(/^\w{32}$/);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(discord.rateLimitHits).toBe(1);
  expect((await world.send({ content: 'x' }, discord.addChannel())).status).toBe(200);
  expect(discord.botMessages(discord.channelId)).toHaveLength(2);
});

test('limits all requests of the bot', async () => {
  await using world = await open({ globalLimit: { limit: 1, perMs: 60_000 } });
  await world.send({ content: 'x' });
  const { status, headers } = await world.send({ content: 'x' }, world.discord.addChannel());
  expect([status, headers.get('x-ratelimit-scope')]).toEqual([429, 'global']);
});

test('remembers a nonce for a while, if the bot asks for it', async () => {
  let now = 0;
  await using world = await open({ now: () => now, nonceMs: 1000 });
  const { discord } = world;
  const body = { content: 'x', nonce: '1', enforce_nonce: true };
  const first = await world.send(body);
  expect((await world.send(body)).body).toMatchObject({ id: first.body.id });
  expect(discord.botMessages(discord.channelId)).toHaveLength(1);
  await world.send({ ...body, enforce_nonce: false });
  expect(discord.botMessages(discord.channelId)).toHaveLength(2);
  now = 5000;
  await world.send(body);
  expect(discord.botMessages(discord.channelId)).toHaveLength(3);
});

test('allows edits of own messages only', async () => {
  await using world = await open();
  const { discord } = world;
  const id = discord.say(discord.channelId, discord.userId, 'mine');
  const path = `/channels/${discord.channelId}/messages/${id}`;
  const answer = await world.request('PATCH', path, { content: 'yours' });
  expect(answer).toMatchObject({ status: 403, body: { code: 50005 } });
});

test('returns the oldest messages after one, the newest of them first', async () => {
  await using world = await open();
  const { discord } = world;
  const [first] = Array.from({ length: 5 }, (_, index) =>
    discord.say(discord.channelId, discord.userId, String(index)),
  );
  const path = `/channels/${discord.channelId}/messages?limit=2&after=${first}`;
  const { body } = await world.request('GET', path);
  expect(body).toMatchObject([{ content: '2' }, { content: '1' }]);
  expect(body[0]).not.toHaveProperty('guild_id');
});

test('computes whom a message notifies', () => {
  const content = '@everyone <@1> <@!2> <@&3>';
  const ping = (allowed: Parameters<typeof pingsOf>[0]['allowed']) =>
    pingsOf({ content, allowed, repliedUserId: '4' });
  expect(ping(undefined)).toEqual({ everyone: true, roles: ['3'], users: ['1', '2', '4'] });
  expect(ping({ parse: [] })).toEqual({ everyone: false, roles: [], users: [] });
  expect(ping({ parse: [], users: ['2'], replied_user: true })).toEqual({
    everyone: false,
    roles: [],
    users: ['2', '4'],
  });
  expect(ping({ parse: ['everyone', 'roles'] })).toEqual({
    everyone: true,
    roles: ['3'],
    users: [],
  });
});

test('hides the content of messages from bots without the intent', async () => {
  await using world = await open();
  const { discord } = world;
  const socket = await world.connect();
  socket.send({ op: 2, d: { token: discord.token, intents: INTENTS } });
  await expect.poll(() => socket.events).toContain('READY');
  discord.say(discord.channelId, discord.userId, 'hidden');
  discord.say(discord.channelId, discord.userId, `<@${discord.botId}> shown`);
  await expect
    .poll(() => socket.messages.map(({ content }) => content))
    .toEqual(['', `<@${discord.botId}> shown`]);
});

test('closes connections that break the protocol', async () => {
  await using world = await open({ messageContent: false });
  const { token } = world.discord;
  for (const [payload, code] of [
    [{ op: 99 }, 4001],
    ['not JSON', 4002],
    [{ op: 8, d: {} }, 4003],
    [{ op: 2, d: { token: 'wrong', intents: INTENTS } }, 4004],
    [{ op: 2, d: { token, intents: 1 << 30 } }, 4013],
    [{ op: 2, d: { token, intents: INTENT.messageContent } }, 4014],
  ] as const) {
    const socket = await world.connect();
    socket.send(payload);
    await expect.poll(() => socket.closeCode).toBe(code);
  }
});

test('replays what a session missed, and nothing for an unknown session', async () => {
  await using world = await open();
  const { discord } = world;
  const first = await world.connect();
  first.send({ op: 2, d: { token: discord.token, intents: INTENTS } });
  await expect.poll(() => first.events).toEqual(['READY', 'GUILD_CREATE']);
  discord.dropConnections({ resumable: true });
  discord.say(discord.channelId, discord.userId, 'missed');
  const second = await world.connect();
  const resume = { token: discord.token, session_id: first.sessionId, seq: 2 };
  second.send({ op: 6, d: resume });
  await expect.poll(() => second.events).toEqual(['MESSAGE_CREATE', 'RESUMED']);
  discord.dropConnections({ resumable: false });
  const third = await world.connect();
  third.send({ op: 6, d: resume });
  await expect.poll(() => third.opcodes).toEqual([10, 9]);
});

test('shows that an interaction failed if there is no response in time', async () => {
  await using world = await open({ interactionMs: 1 });
  const { discord } = world;
  const components = [
    { type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go' }] },
  ];
  const { body } = await world.send({ content: 'Ready?', components });
  expect(await discord.press(body.id, 'Go', discord.userId)).toEqual({ kind: 'failed' });
});

type Answer = { status: number; headers: Headers; body: { id: string; code: number } & unknown[] };

async function open(options: FakeDiscordOptions = {}) {
  const discord = await startFakeDiscord(options);
  const request = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${discord.apiUrl}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer['body'];
    return { status: response.status, headers: response.headers, body: answer };
  };
  return {
    discord,
    request,
    send: (body: unknown, channelId = discord.channelId) =>
      request('POST', `/channels/${channelId}/messages`, body),
    connect: () => connect(discord),
    [Symbol.asyncDispose]: () => discord.close(),
  };
}

type Payload = { op: number; t?: string; d?: { session_id?: string; content?: string } };

async function connect(discord: FakeDiscord) {
  const socket = new WebSocket(discord.gateway.facts.url);
  const received: Payload[] = [];
  let closeCode: number | undefined;
  socket.on('message', (data) => received.push(JSON.parse(String(data)) as Payload));
  socket.on('close', (code) => {
    closeCode = code;
  });
  await new Promise((resolve) => socket.once('open', resolve));
  return {
    send: (payload: unknown) =>
      socket.send(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    get events() {
      return received.flatMap(({ t }) => (t ? [t] : []));
    },
    get opcodes() {
      return received.map(({ op }) => op);
    },
    get messages() {
      return received.flatMap(({ t, d }) => (t === 'MESSAGE_CREATE' && d ? [d] : []));
    },
    get sessionId() {
      return received.find(({ t }) => t === 'READY')?.d?.session_id;
    },
    get closeCode() {
      return closeCode;
    },
  };
}
