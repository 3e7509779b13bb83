import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { collect, connectDiscord } from '../../testing/fake-discord/connected-adapter.ts';
import { PERMISSION } from './permissions.ts';

const FAST = { sendLimit: { limit: 5, perMs: 200 } };

test('waits when a rate limit is exceeded, and delivers once', async () => {
  await using world = await connectDiscord(FAST);
  const { discord, adapter, channel } = world;
  discord.exhaustSends(discord.channelId);
  await adapter.send(channel, { text: 'late' }, 'nonce');
  expect(discord.rateLimitHits).toBe(1);
  expect(discord.botMessages(discord.channelId)).toMatchObject([{ content: 'late' }]);
});

test('sends many messages in order without exceeding the rate limit', async () => {
  await using world = await connectDiscord(FAST);
  const { discord, adapter, channel } = world;
  const texts = Array.from({ length: 12 }, (_, index) => `part ${index}`);
  for (const text of texts) await adapter.send(channel, { text }, text);
  expect(discord.botMessages(discord.channelId).map(({ content }) => content)).toEqual(texts);
  expect(discord.rateLimitHits).toBe(0);
});

test('delivers once after errors of the server that took effect', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  discord.fail({ path: /messages$/, status: 502, takesEffect: true, times: 2 });
  const id = await adapter.send(channel, { text: 'once' }, 'nonce');
  expect(discord.botMessages(discord.channelId)).toMatchObject([{ id, content: 'once' }]);
  expect(sends(discord)).toHaveLength(3);
});

test('reports an outage as retryable, and delivers once when the caller retries', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  discord.fail({ path: /messages$/, status: 503, takesEffect: true, times: 4 });
  const error = await failureOf(adapter.send(channel, { text: 'once' }, 'nonce'));
  expect(error).toMatchObject({ code: 'provider_error', retryable: true });
  await adapter.send(channel, { text: 'once' }, 'nonce');
  expect(discord.botMessages(discord.channelId)).toHaveLength(1);
});

test('reports a lost connection as retryable, and delivers once when the caller retries', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  discord.fail({ path: /messages$/, status: 'reset', takesEffect: true, times: 4 });
  const error = await failureOf(adapter.send(channel, { text: 'once' }, 'nonce'));
  expect(error).toMatchObject({ code: 'network_unreachable', retryable: true });
  // discord.js repeats some of these itself.
  while (sends(discord).length < 4)
    await failureOf(adapter.send(channel, { text: 'once' }, 'nonce'));
  await adapter.send(channel, { text: 'once' }, 'nonce');
  expect(discord.botMessages(discord.channelId)).toHaveLength(1);
});

test('reports a channel that does not exist', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  discord.removeChannel(discord.channelId);
  const error = await failureOf(adapter.send(channel, { text: 'hello' }, 'nonce'));
  expect(error).toMatchObject({ code: 'not_found', retryable: false });
  expect(error.message).toContain(channel);
});

test('names the permissions when one is missing', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const hidden = discord.addChannel({
    overwrites: [{ id: discord.guildId, allow: 0n, deny: PERMISSION.viewChannel }],
  });
  discord.setOverwrites(discord.channelId, [
    { id: discord.botId, allow: 0n, deny: PERMISSION.sendMessages },
  ]);
  for (const id of [channel, `discord:${hidden}`]) {
    const error = await failureOf(adapter.send(id, { text: 'hello' }, 'nonce'));
    expect(error).toMatchObject({ code: 'forbidden', retryable: false });
    expect(error.hint).toContain('View Channel, Send Messages, Attach Files');
  }
});

test('reports an edit of a message that was deleted', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const id = await adapter.send(channel, { text: 'hello' }, 'nonce');
  discord.deleteMessage(id);
  const error = await failureOf(adapter.edit(channel, id, { text: 'bye' }));
  expect(error).toMatchObject({ code: 'not_found', retryable: false });
});

test('reports blank and long messages that Discord rejects', async () => {
  await using world = await connectDiscord();
  const { adapter, channel } = world;
  for (const text of ['', ' \n ', 'x'.repeat(2001)]) {
    const error = await failureOf(adapter.send(channel, { text }, `nonce ${text.length}`));
    expect(error).toMatchObject({ code: 'request_rejected', retryable: false });
  }
});

test('rejects ids that are not those of Discord', async () => {
  await using world = await connectDiscord();
  const { discord, adapter } = world;
  const before = discord.requests.length;
  for (const id of ['slack:1', 'discord:1/../2', '1234', 'discord:']) {
    const error = await failureOf(adapter.send(id, { text: 'hello' }, 'nonce'));
    expect(error).toMatchObject({ code: 'not_found' });
  }
  expect(discord.requests).toHaveLength(before);
});

test('reads the history in pages, the oldest first, without bots', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const { channelId, userId, botId, guildId } = discord;
  const bot = discord.addUser({ bot: true });
  const first = discord.say(channelId, userId, 'seen');
  const texts = Array.from({ length: 150 }, (_, index) => `missed ${index}`);
  for (const text of texts) {
    discord.say(channelId, userId, `<@${botId}> ${text}`);
    discord.say(channelId, bot, 'noise');
  }
  const missed = await collect(adapter.messagesAfter(channel, first));
  expect(missed.map(({ text }) => text)).toEqual(texts);
  expect(missed[0]).toMatchObject({
    channelId: channel,
    userId: `discord:${userId}`,
    guildId: `discord:${guildId}`,
    isDirect: false,
  });
});

test('reads the history of direct messages', async () => {
  await using world = await connectDiscord({ directMessages: true });
  const { discord, adapter } = world;
  const direct = discord.directChannel(discord.userId);
  const first = discord.say(direct, discord.userId, 'seen');
  discord.say(direct, discord.userId, 'missed');
  const missed = await collect(adapter.messagesAfter(`discord:${direct}`, first));
  expect(missed).toMatchObject([{ text: 'missed', isDirect: true, guildId: undefined }]);
});

test('returns no history and warns if the channel is gone', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel, warnings } = world;
  const first = discord.say(discord.channelId, discord.userId, 'seen');
  discord.removeChannel(discord.channelId);
  expect(await collect(adapter.messagesAfter(channel, first))).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('Unknown Channel')]);
});

test('reports an outage while it reads the history', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  discord.fail({ path: /messages$/, status: 500, times: 4 });
  const error = await failureOf(collect(adapter.messagesAfter(channel, '1')));
  expect(error).toMatchObject({ code: 'provider_error', retryable: true });
});

test('completes what is being sent before it stops', async () => {
  await using world = await connectDiscord(FAST);
  const { discord, adapter, channel } = world;
  discord.exhaustSends(discord.channelId);
  const sending = adapter.send(channel, { text: 'last words' }, 'nonce');
  await adapter.stop();
  const id = await sending;
  expect(discord.botMessages(discord.channelId)).toMatchObject([{ id }]);
  expect(await failureOf(adapter.send(channel, { text: 'more' }, 'other'))).toMatchObject({
    code: 'interrupted',
  });
  await expect.poll(() => discord.gateway.connectionCount).toBe(0);
});

function sends({ requests }: { requests: readonly { method: string; path: string }[] }) {
  return requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));
}

async function failureOf(action: Promise<unknown>): Promise<BatonError> {
  const error = await action.then(
    () => undefined,
    (reason) => reason,
  );
  if (!BatonError.is(error)) throw new Error(`Expected a BatonError, got ${String(error)}`);
  return error;
}
