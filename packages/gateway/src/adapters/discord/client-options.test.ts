import { expect, test } from 'vitest';
import { startFakeDiscord } from '../../testing/fake-discord/fake-discord.ts';
import { clientOptions } from './client-options.ts';
import { loadDiscord } from './load-discord.ts';

test('caches nothing that grows with the number of messages and users', async () => {
  const library = await loadDiscord();
  const discord = await startFakeDiscord();
  const channels = Array.from({ length: 20 }, () => discord.addChannel());
  const { apiUrl } = discord;
  const { signal: stopped } = new AbortController();
  const options = clientOptions(library, { apiUrl, directMessages: true, stopped });
  const client = new library.Client(options);
  let received = 0;
  client.on(library.Events.MessageCreate, () => {
    received += 1;
  });
  try {
    const ready = new Promise((resolve) => client.once(library.Events.ClientReady, resolve));
    await client.login(discord.token);
    await ready;
    for (let index = 0; index < 200; index += 1) {
      const user = discord.addUser();
      for (const channel of channels.slice(index % 20, (index % 20) + 2)) {
        discord.say(channel, user, 'hello');
      }
      discord.say(discord.directChannel(user), user, 'hello');
    }
    await expect.poll(() => received).toBe(390);
    // The bot itself is one of the users at most.
    expect(client.users.cache.size).toBeLessThan(2);
    expect(client.channels.cache.size).toBe(channels.length + 1);
    const messages = client.channels.cache.map((channel) =>
      channel.isTextBased() ? channel.messages.cache.size : 0,
    );
    expect(Math.max(...messages)).toBe(0);
    const members = client.guilds.cache.map((guild) => guild.members.cache.size);
    expect(Math.max(...members)).toBeLessThan(2);
  } finally {
    await client.destroy();
    await discord.close();
  }
});

test('asks for direct messages only if they are on', async () => {
  const library = await loadDiscord();
  const { signal: stopped } = new AbortController();
  const intents = (directMessages: boolean) =>
    new library.IntentsBitField(
      clientOptions(library, { apiUrl: undefined, directMessages, stopped }).intents,
    ).toArray();
  expect(intents(false)).toEqual(['Guilds', 'GuildMessages', 'MessageContent']);
  expect(intents(true)).toEqual(['Guilds', 'GuildMessages', 'DirectMessages', 'MessageContent']);
});

test('says how to install discord.js if it is missing', async () => {
  const loading = loadDiscord(() => Promise.reject(new Error('Cannot find package')));
  await expect(loading).rejects.toMatchObject({
    code: 'config_invalid',
    hint: expect.stringContaining('npm install discord.js'),
  });
});
