import { expect, test } from 'vitest';
import { connectDiscord } from '../../testing/fake-discord/connected-adapter.ts';

const BUTTONS = [
  [
    { label: 'Allow', value: 'allow:1', style: 'primary' as const },
    { label: 'Deny', value: 'deny:1', style: 'secondary' as const },
  ],
];
const COMMANDS = [
  { name: 'stop', about: 'Stop the agent' },
  { name: 'model', about: 'Choose the model', argument: 'name of the model' },
];

test('reports a press and acknowledges it', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver, channel } = world;
  const id = await adapter.send(channel, { text: 'May I?', buttons: BUTTONS }, 'nonce');
  expect(await discord.press(id, 'Allow', discord.userId)).toEqual({ kind: 'acknowledged' });
  expect(receiver.presses).toMatchObject([
    {
      messageId: id,
      value: 'allow:1',
      userId: `discord:${discord.userId}`,
      channelId: channel,
      guildId: `discord:${discord.guildId}`,
      isDirect: false,
    },
  ]);
});

test('reports a press in a direct message', async () => {
  await using world = await connectDiscord({ directMessages: true });
  const { discord, adapter, receiver } = world;
  const channel = `discord:${discord.directChannel(discord.userId)}`;
  const id = await adapter.send(channel, { text: 'May I?', buttons: BUTTONS }, 'nonce');
  expect(await discord.press(id, 'Deny', discord.userId)).toEqual({ kind: 'acknowledged' });
  expect(receiver.presses).toMatchObject([
    { userId: `discord:${discord.userId}`, isDirect: true, guildId: undefined },
  ]);
});

test('shows the text of an acknowledgement only to the user who pressed', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver, channel } = world;
  receiver.onPress = (press) => press.acknowledge('You may not do this.');
  const id = await adapter.send(channel, { text: 'May I?', buttons: BUTTONS }, 'nonce');
  const outcome = await discord.press(id, 'deny:1', discord.userId);
  expect(outcome).toEqual({ kind: 'message', text: 'You may not do this.', ephemeral: true });
  expect(discord.botMessages(discord.channelId)).toHaveLength(1);
});

test('responds to a press once', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver, channel } = world;
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.onPress = async (press) => {
    await press.acknowledge();
    await press.acknowledge('again');
    resolve();
  };
  const id = await adapter.send(channel, { text: 'May I?', buttons: BUTTONS }, 'nonce');
  await discord.press(id, 'Allow', discord.userId);
  await promise;
  expect(discord.requests.filter(({ path }) => path.endsWith('/callback'))).toHaveLength(1);
});

test('responds once if the first attempt took effect and failed', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, channel, warnings } = world;
  discord.fail({ path: /callback$/, status: 502, takesEffect: true });
  const id = await adapter.send(channel, { text: 'May I?', buttons: BUTTONS }, 'nonce');
  expect(await discord.press(id, 'Allow', discord.userId)).toEqual({ kind: 'acknowledged' });
  await expect.poll(() => discord.requests.at(-1)?.status).toBe(400);
  expect(warnings).toEqual([]);
});

test('logs an acknowledgement that comes too late', async () => {
  let now = 0;
  await using world = await connectDiscord({ now: () => now });
  const { discord, adapter, receiver, channel, warnings } = world;
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.onPress = async (press) => {
    now += 3001;
    await press.acknowledge();
    resolve();
  };
  const id = await adapter.send(channel, { text: 'May I?', buttons: BUTTONS }, 'nonce');
  void discord.press(id, 'Allow', discord.userId);
  await promise;
  expect(warnings).toEqual([expect.stringContaining('too late')]);
});

test('registers the commands of the gateway', async () => {
  await using world = await connectDiscord({ commands: COMMANDS });
  const { discord } = world;
  await expect.poll(() => discord.commands).toHaveLength(2);
  expect(discord.commands).toMatchObject([
    { name: 'stop', description: 'Stop the agent', options: [] },
    {
      name: 'model',
      options: [{ type: 3, name: 'argument', description: 'name of the model', required: false }],
    },
  ]);
});

test('reports commands and shows the response', async () => {
  await using world = await connectDiscord({ commands: COMMANDS });
  const { discord, receiver, channel } = world;
  await expect.poll(() => discord.commands).toHaveLength(2);
  const stop = await discord.command(discord.channelId, discord.userId, 'stop');
  expect(stop).toEqual({ kind: 'message', text: 'You entered stop.', ephemeral: true });
  await discord.command(discord.channelId, discord.userId, 'model', 'opus');
  expect(receiver.received).toMatchObject([
    { name: 'stop', argument: '', channelId: channel, userId: `discord:${discord.userId}` },
    { name: 'model', argument: 'opus' },
  ]);
});

test('truncates a long response and pings nobody with it', async () => {
  await using world = await connectDiscord({ commands: COMMANDS });
  const { discord, receiver } = world;
  await expect.poll(() => discord.commands).toHaveLength(2);
  receiver.onCommand = (command) => command.respond(`@everyone ${'word '.repeat(1000)}`);
  const outcome = await discord.command(discord.channelId, discord.userId, 'stop');
  expect(outcome).toMatchObject({ kind: 'message', ephemeral: false });
  const [message] = discord.botMessages(discord.channelId);
  expect(message?.content).toMatch(/word\s*…$/);
  expect(message?.content.length).toBeGreaterThan(1900);
  expect(message?.pings.everyone).toBe(false);
});

test('defers the response of a command that takes long', async () => {
  const commands = [{ name: 'status', about: 'Show the status' }];
  await using world = await connectDiscord({ commands, deferMs: 0 });
  const { discord, receiver } = world;
  const { channelId, userId } = discord;
  const isDeferred = () => discord.requests.some(({ path }) => path.endsWith('/callback'));
  receiver.onCommand = async (command) => {
    await expect.poll(isDeferred).toBe(true);
    await command.respond('@everyone done');
  };
  await expect.poll(() => discord.commands).toHaveLength(1);
  const seen = await discord.command(channelId, userId, 'status');
  expect(seen).toEqual({ kind: 'message', text: '@everyone done', ephemeral: false });
  expect(discord.botMessages(channelId)[0]?.pings).toMatchObject({ everyone: false });
});

test('works without commands if they cannot be registered', async () => {
  const commands = [{ name: 'Not A Name', about: 'Rejected by Discord' }];
  await using world = await connectDiscord({ commands });
  const { discord, receiver, warnings } = world;
  await expect.poll(() => warnings).toEqual([expect.stringContaining('Invalid Form Body')]);
  discord.say(discord.channelId, discord.userId, 'hello');
  await expect.poll(() => receiver.texts).toEqual(['hello']);
});
