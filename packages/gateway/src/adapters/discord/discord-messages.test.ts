import { expect, test, vi } from 'vitest';
import { collect, connectDiscord } from '../../testing/fake-discord/connected-adapter.ts';

test('receives messages of people with user, channel and server', async () => {
  await using world = await connectDiscord();
  const { discord, receiver } = world;
  const messageId = discord.say(discord.channelId, discord.userId, 'hello');
  await expect.poll(() => receiver.messages).toHaveLength(1);
  expect(receiver.messages[0]).toEqual({
    channelId: `discord:${discord.channelId}`,
    messageId,
    userName: expect.any(String),
    userId: `discord:${discord.userId}`,
    parentId: undefined,
    guildId: `discord:${discord.guildId}`,
    isDirect: false,
    isAddressed: false,
    text: 'hello',
    files: [],
  });
});

test('hands over the messages of a channel in order, one at a time', async () => {
  await using world = await connectDiscord();
  const { discord, receiver } = world;
  const taken: string[] = [];
  const active: number[] = [];
  let running = 0;
  const finish: (() => void)[] = [];
  receiver.onMessage = async ({ text }) => {
    running += 1;
    active.push(running);
    await new Promise<void>((resolve) => finish.push(resolve));
    running -= 1;
    taken.push(text);
  };
  const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
  for (const text of texts) discord.say(discord.channelId, discord.userId, text);
  await vi.waitFor(
    () => {
      finish.shift()?.();
      expect(taken).toHaveLength(20);
    },
    { interval: 1 },
  );
  expect(taken).toEqual(texts);
  expect(Math.max(...active)).toBe(1);
});

test('does not let one channel wait for another', async () => {
  await using world = await connectDiscord();
  const { discord, receiver } = world;
  const other = discord.addChannel();
  const taken: string[] = [];
  receiver.onMessage = async ({ text }) => {
    if (text === 'never taken') await new Promise(() => {});
    taken.push(text);
  };
  discord.say(discord.channelId, discord.userId, 'never taken');
  discord.say(other, discord.userId, 'taken');
  await expect.poll(() => taken).toEqual(['taken']);
});

test('ignores its own messages and those of bots, webhooks and Discord', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver, channel } = world;
  const { channelId, userId } = discord;
  await adapter.send(channel, { text: 'my own' }, 'nonce');
  discord.say(channelId, discord.addUser({ bot: true }), 'another bot');
  discord.say(channelId, userId, 'a webhook', { webhookId: '1234567890123456789' });
  discord.say(channelId, userId, '', { type: 7 });
  discord.say(channelId, userId, 'a person');
  await expect.poll(() => receiver.texts).toEqual(['a person']);
});

test('removes a leading mention of the bot and nothing else', async () => {
  await using world = await connectDiscord();
  const { discord, receiver } = world;
  const { channelId, userId, botId } = discord;
  discord.say(channelId, userId, `<@${botId}> fix  the <@${userId}> bug`);
  discord.say(channelId, userId, `<@!${botId}>`);
  discord.say(channelId, userId, ` ask <@${botId}> now `);
  await expect
    .poll(() => receiver.texts)
    .toEqual([`fix  the <@${userId}> bug`, '', ` ask <@${botId}> now `]);
});

test('receives messages of threads, also of those created later', async () => {
  await using world = await connectDiscord();
  const { discord, receiver } = world;
  // discord.js does not know this channel: it was not announced.
  const thread = discord.addChannel({ parentId: discord.channelId });
  discord.say(thread, discord.userId, 'in a thread');
  await expect.poll(() => receiver.messages).toHaveLength(1);
  expect(receiver.messages[0]).toMatchObject({
    channelId: `discord:${thread}`,
    guildId: `discord:${discord.guildId}`,
    isDirect: false,
  });
});

test('knows which messages are meant for the bot, also in the history', async () => {
  await using world = await connectDiscord();
  const { discord, receiver, adapter, channel } = world;
  const { channelId, userId, botId } = discord;
  const thread = discord.addChannel({ parentId: channelId });
  discord.announceThread(thread);
  const before = discord.say(channelId, userId, 'lunch?');
  discord.say(channelId, userId, `<@${botId}> fix it`);
  discord.say(thread, userId, 'and this');
  await expect.poll(() => receiver.messages).toHaveLength(3);
  const facts = receiver.messages.map(({ text, isAddressed, parentId }) => [
    ...[text, isAddressed, parentId],
  ]);
  expect(facts).toEqual(
    expect.arrayContaining([
      ['lunch?', false, undefined],
      ['fix it', true, undefined],
      ['and this', true, channel],
    ]),
  );
  const later = await collect(adapter.messagesAfter(channel, before));
  expect(later.map(({ isAddressed }) => isAddressed)).toEqual([true]);
  const inThread = await collect(adapter.messagesAfter(`discord:${thread}`, '0'));
  expect(inThread).toMatchObject([{ isAddressed: true, parentId: channel }]);
});

test('receives direct messages if they are on', async () => {
  await using world = await connectDiscord({ directMessages: true });
  const { discord, adapter, receiver } = world;
  const direct = discord.directChannel(discord.userId);
  discord.say(direct, discord.userId, 'psst');
  await expect.poll(() => receiver.messages).toHaveLength(1);
  expect(receiver.messages[0]).toMatchObject({ text: 'psst', isDirect: true, guildId: undefined });
  await adapter.send(`discord:${direct}`, { text: 'yes?' }, 'nonce');
  expect(discord.botMessages(direct)).toMatchObject([{ content: 'yes?' }]);
});

test('does not receive direct messages if they are off', async () => {
  await using world = await connectDiscord();
  const { discord, receiver } = world;
  discord.say(discord.directChannel(discord.userId), discord.userId, 'psst');
  discord.say(discord.channelId, discord.userId, 'hello');
  await expect.poll(() => receiver.texts).toEqual(['hello']);
});

test('sends a reply and returns its id', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const question = discord.say(discord.channelId, discord.userId, 'question');
  const id = await adapter.send(channel, { text: 'answer', replyTo: question }, 'nonce');
  expect(discord.botMessages(discord.channelId)).toMatchObject([
    { id, content: 'answer', replyTo: question },
  ]);
});

test('sends a reply to a message that was deleted', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const question = discord.say(discord.channelId, discord.userId, 'question');
  discord.deleteMessage(question);
  await adapter.send(channel, { text: 'answer', replyTo: question }, 'nonce');
  expect(discord.messages(discord.channelId)).toMatchObject([
    { content: 'answer', replyTo: undefined },
  ]);
});

test('sends a message once if it is sent again with the same nonce', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const nonce = 'a nonce that is longer than Discord allows';
  const first = await adapter.send(channel, { text: 'once' }, nonce);
  const second = await adapter.send(channel, { text: 'once' }, nonce);
  expect(second).toBe(first);
  expect(discord.botMessages(discord.channelId)).toHaveLength(1);
  await adapter.send(channel, { text: 'another' }, `${nonce}!`);
  expect(discord.botMessages(discord.channelId)).toHaveLength(2);
});

test('replaces text and buttons of a message', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const buttons = [[{ label: 'Stop', value: 'stop', style: 'danger' as const }]];
  const id = await adapter.send(channel, { text: 'working', buttons }, 'nonce');
  const [message] = discord.botMessages(discord.channelId);
  expect(message?.components[0]?.components).toMatchObject([
    { label: 'Stop', custom_id: 'stop', style: 4 },
  ]);
  await adapter.edit(channel, id, { text: 'still working', buttons });
  expect(message).toMatchObject({ content: 'still working', components: [{}] });
  await adapter.edit(channel, id, { text: 'done' });
  expect(message).toMatchObject({ content: 'done', components: [] });
});

test('notifies nobody, whatever a message says', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel } = world;
  const { userId, channelId, guildId } = discord;
  const text = `@everyone @here <@${userId}> <@&${guildId}>`;
  const question = discord.say(channelId, userId, 'question');
  const id = await adapter.send(channel, { text, replyTo: question }, 'nonce');
  await adapter.edit(channel, id, { text: `${text}!` });
  expect(discord.botMessages(channelId)).toMatchObject([
    { content: `${text}!`, pings: { everyone: false, roles: [], users: [] } },
  ]);
});

test('shows that the agent works', async () => {
  await using world = await connectDiscord();
  await world.adapter.showTyping(world.channel);
  expect(world.discord.typingCount(world.discord.channelId)).toBe(1);
});
