import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeDiscord, startFakeDiscord } from '../../testing/fake-discord/fake-discord.ts';
import type { FakeDiscordOptions } from '../../testing/fake-discord/options.ts';
import { checkDiscord } from './check-discord.ts';
import { PERMISSION } from './permissions.ts';

let discord: FakeDiscord;

beforeEach(() => start());
afterEach(() => discord.close());

test('passes for a bot that is set up, and changes nothing', async () => {
  const thread = discord.addChannel({ parentId: discord.channelId });
  const results = await check({
    guilds: [`discord:${discord.guildId}`],
    channels: [`discord:${discord.channelId}`, `discord:${thread}`, 'slack:C1'],
  });
  expect(results.map(({ name, ok }) => [name, ok])).toEqual([
    ['Discord token', true],
    ['Message Content intent', true],
    ['Invitation', true],
    [`Server discord:${discord.guildId}`, true],
    [`Channel discord:${discord.channelId}`, true],
    [`Channel discord:${thread}`, true],
  ]);
  expect(discord.requests.every(({ method }) => method === 'GET')).toBe(true);
  expect(discord.gateway.counts.identified).toBe(0);
});

test('reports an invalid token without revealing it', async () => {
  const results = await check({ token: 'secret.but.wrong' });
  expect(results).toMatchObject([{ name: 'Discord token', ok: false, code: 'unauthenticated' }]);
  expect(results[0]?.hint).toContain('Developer Portal');
  expect(JSON.stringify(results)).not.toContain('secret.but.wrong');
});

test('rejects a token that was copied while it was hidden', async () => {
  const results = await check({ token: '••••••••' });
  expect(results).toMatchObject([{ name: 'Discord token', ok: false, code: 'unauthenticated' }]);
});

test('reports that Discord cannot be reached', async () => {
  await discord.close();
  expect(await check()).toMatchObject([{ ok: false, code: 'network_unreachable' }]);
  await start();
});

test('names the address that adds the bot to a server', async () => {
  const [, , invitation] = await check();
  expect(invitation).toMatchObject({ name: 'Invitation', ok: true });
  expect(invitation?.detail).toMatch(/^Add the bot to a server: https:\/\/discord\.com\/\S+$/);
  expect(invitation?.detail).toContain(`client_id=${discord.botId}`);
});

test('reports that the Message Content intent is off', async () => {
  await discord.close();
  await start({ messageContent: false });
  const results = await check();
  expect(results[1]).toMatchObject({ name: 'Message Content intent', ok: false });
  expect(results[1]?.hint).toContain('Enable the Message Content intent');
});

test('reports servers that the bot is not in, with the address that adds it', async () => {
  const other = discord.addGuild({ withBot: false });
  const results = await check({ guilds: [`discord:${other}`, 'discord:1', 'discord:x'] });
  expect(results.slice(3)).toMatchObject([{ ok: false }, { ok: false }, { ok: false }]);
  expect(results[3]?.hint).toContain(`client_id=${discord.botId}`);
});

test('names the permissions that are missing in a channel', async () => {
  const readOnly = discord.addChannel({
    overwrites: [{ id: discord.guildId, allow: 0n, deny: PERMISSION.sendMessages }],
  });
  const results = await check({ channels: [`discord:${readOnly}`] });
  expect(results.at(-1)).toMatchObject({
    ok: false,
    detail: 'The bot lacks permissions in the channel: Send Messages, Attach Files.',
  });
});

test('accepts a channel in which a role of the bot has the permissions', async () => {
  const roleId = discord.addBotRole(discord.guildId, 0n);
  const closed = discord.addChannel({
    overwrites: [
      { id: discord.guildId, allow: 0n, deny: PERMISSION.viewChannel },
      { id: roleId, allow: PERMISSION.viewChannel, deny: 0n },
    ],
  });
  expect((await check({ channels: [`discord:${closed}`] })).at(-1)).toMatchObject({ ok: true });
});

test('needs another permission to write in a thread', async () => {
  const thread = discord.addChannel({ parentId: discord.channelId });
  discord.setOverwrites(discord.channelId, [
    { id: discord.guildId, allow: 0n, deny: PERMISSION.sendMessagesInThreads },
  ]);
  const results = await check({
    channels: [`discord:${discord.channelId}`, `discord:${thread}`],
  });
  expect(results.at(-2)).toMatchObject({ ok: true });
  expect(results.at(-1)).toMatchObject({
    ok: false,
    detail: 'The bot lacks permissions in the channel: Send Messages in Threads, Attach Files.',
  });
});

test('reports channels that do not exist or are hidden', async () => {
  const hidden = discord.addChannel({
    overwrites: [{ id: discord.guildId, allow: 0n, deny: PERMISSION.viewChannel }],
  });
  const results = await check({ channels: ['discord:12345678901234567', `discord:${hidden}`] });
  expect(results.slice(3)).toMatchObject([
    { ok: false, detail: 'The channel does not exist.' },
    { ok: false, detail: 'The bot cannot see the channel.' },
  ]);
});

test('fetches a server once for all of its channels', async () => {
  const channels = [discord.addChannel(), discord.addChannel(), discord.addChannel()];
  await check({ channels: channels.map((id) => `discord:${id}`) });
  const fetched = discord.requests.filter(({ path }) => path === `/guilds/${discord.guildId}`);
  expect(fetched).toHaveLength(1);
});

async function start(options: FakeDiscordOptions = {}): Promise<void> {
  discord = await startFakeDiscord(options);
}

function check(options: { token?: string; guilds?: string[]; channels?: string[] } = {}) {
  const { token, apiUrl } = discord;
  return checkDiscord({ token, apiUrl, guilds: [], channels: [], ...options });
}
