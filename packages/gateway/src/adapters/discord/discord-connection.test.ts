import { once } from 'node:events';
import { BatonError } from '@baton/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  collect,
  connectDiscord,
  prepareDiscord,
} from '../../testing/fake-discord/connected-adapter.ts';
import { DiscordAdapter } from './discord-adapter.ts';

const BUTTONS = [[{ label: 'Stop', value: 'stop', style: 'danger' as const }]];

// discord.js waits half a second before it resumes and five seconds before it identifies again.
describe.concurrent('a lost connection', () => {
  test('resumes without losing a message', async ({ expect }) => {
    await using world = await connectDiscord();
    const { discord, receiver } = world;
    const { channelId, userId } = discord;
    discord.say(channelId, userId, 'before');
    await expect.poll(() => receiver.texts).toEqual(['before']);
    discord.dropConnections({ resumable: true });
    discord.say(channelId, userId, 'meanwhile 1');
    discord.say(channelId, userId, 'meanwhile 2');
    await expect.poll(() => receiver.texts).toEqual(['before', 'meanwhile 1', 'meanwhile 2']);
    await expect.poll(() => discord.gateway.counts.resumed).toBe(1);
    discord.say(channelId, userId, 'after');
    await expect.poll(() => receiver.texts.at(-1)).toBe('after');
    expect(receiver.texts).toHaveLength(4);
    expect(receiver.gaps).toBe(0);
  });

  test('resumes when Discord asks for it', async ({ expect }) => {
    await using world = await connectDiscord();
    const { discord, receiver } = world;
    discord.gateway.askToReconnect();
    await expect.poll(() => discord.gateway.counts.resumed).toBe(1);
    discord.say(discord.channelId, discord.userId, 'after');
    await expect.poll(() => receiver.texts).toEqual(['after']);
    expect(receiver.gaps).toBe(0);
  });

  test('resumes when the connection is open but dead', async ({ expect }) => {
    await using world = await connectDiscord({ heartbeatMs: 50 });
    const { discord, receiver } = world;
    discord.gateway.acknowledgesHeartbeats = false;
    await expect.poll(() => discord.gateway.counts.resumed).toBeGreaterThan(0);
    discord.gateway.acknowledgesHeartbeats = true;
    discord.say(discord.channelId, discord.userId, 'after');
    await expect.poll(() => receiver.texts).toEqual(['after']);
    expect(receiver.gaps).toBe(0);
  });

  test('reports a gap if the session cannot be resumed', async ({ expect }) => {
    await using world = await connectDiscord();
    const { discord, adapter, receiver, channel } = world;
    const { channelId, userId } = discord;
    const before = discord.say(channelId, userId, 'before');
    await expect.poll(() => receiver.texts).toEqual(['before']);
    discord.dropConnections({ resumable: false });
    discord.say(channelId, userId, 'missed');
    await expect.poll(() => receiver.gaps).toBe(1);
    const missed = await collect(adapter.messagesAfter(channel, before));
    expect(missed).toMatchObject([{ text: 'missed' }]);
    discord.say(channelId, userId, 'after');
    await expect.poll(() => receiver.texts).toEqual(['before', 'after']);
    const id = await adapter.send(channel, { text: 'Running', buttons: BUTTONS }, 'nonce');
    expect(await discord.press(id, 'Stop', userId)).toEqual({ kind: 'acknowledged' });
  });

  test('reports a gap after an outage', async ({ expect }) => {
    await using world = await connectDiscord();
    const { discord, receiver } = world;
    discord.setDown(true);
    await expect.poll(() => discord.gateway.counts.refused).toBeGreaterThan(1);
    discord.setDown(false);
    await expect.poll(() => receiver.gaps).toBe(1);
    discord.say(discord.channelId, discord.userId, 'after');
    await expect.poll(() => receiver.texts).toEqual(['after']);
  });
});

test('does not start with an invalid token, and does not reveal it', async () => {
  const adapterToken = 'secret.but.wrong';
  await using world = await prepareDiscord({ adapterToken });
  const error = await startFailure(world);
  expect(error).toMatchObject({ code: 'unauthenticated', retryable: false });
  expect(error.hint).toContain('Developer Portal');
  expect(JSON.stringify([error, error.stack, world.warnings])).not.toContain(adapterToken);
});

test('says how to enable the Message Content intent', async () => {
  await using world = await prepareDiscord({ messageContent: false });
  const error = await startFailure(world);
  expect(error).toMatchObject({ code: 'config_invalid', retryable: false });
  expect(error.hint).toBe('Enable the Message Content intent under Bot in the Developer Portal.');
  expect(world.receiver.ends).toEqual([]);
});

test('accepts a token that was copied with a prefix and a line break', async () => {
  const token = 'right.token';
  await using world = await prepareDiscord({ token, adapterToken: `Bot ${token}\n` });
  await world.adapter.start(world.receiver);
  expect(world.discord.gateway.connectionCount).toBe(1);
});

test('can be started again after an outage', async () => {
  await using world = await prepareDiscord();
  const { discord, adapter, receiver } = world;
  discord.setDown(true);
  expect(await startFailure(world)).toMatchObject({ code: 'network_unreachable', retryable: true });
  discord.setDown(false);
  await adapter.start(receiver);
  discord.say(discord.channelId, discord.userId, 'hello');
  await expect.poll(() => receiver.texts).toEqual(['hello']);
});

test('can be stopped while it starts', async () => {
  await using world = await prepareDiscord();
  const starting = startFailure(world);
  await world.adapter.stop();
  expect(await starting).toMatchObject({ code: 'interrupted' });
  await expect.poll(() => world.discord.gateway.connectionCount).toBe(0);
  world.discord.say(world.discord.channelId, world.discord.userId, 'hello');
  expect(world.receiver.messages).toEqual([]);
});

test('does not reconnect after it was stopped in an outage', async () => {
  await using stopped = await connectDiscord();
  const { discord } = stopped;
  discord.setDown(true);
  await expect.poll(() => discord.gateway.counts.refused).toBeGreaterThan(0);
  await stopped.adapter.stop();
  discord.setDown(false);
  // An adapter that reconnects later shows that the time for it has passed.
  const other = new DiscordAdapter({
    ...{ token: discord.token, apiUrl: discord.apiUrl },
    ...{ directMessages: false, log: { warn: () => {} } },
  });
  onTestFinished(() => other.stop());
  await other.start(stopped.receiver);
  discord.dropConnections();
  await expect.poll(() => discord.gateway.counts.resumed).toBe(1);
  expect(discord.gateway.connectionCount).toBe(1);
});

test('ends when the token is replaced and the connection is lost', async () => {
  await using world = await connectDiscord();
  const { discord, receiver } = world;
  const { token } = discord;
  discord.replaceToken('another');
  discord.dropConnections();
  await expect.poll(() => receiver.ends).toHaveLength(1);
  expect(receiver.ends[0]).toMatchObject({ code: 'unauthenticated' });
  expect(JSON.stringify([receiver.ends, world.warnings])).not.toContain(token);
});

test('ends once when requests are rejected because of the token', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver, channel } = world;
  discord.replaceToken('another');
  for (const nonce of ['1', '2']) {
    await expect(adapter.send(channel, { text: 'hello' }, nonce)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  }
  expect(receiver.ends).toMatchObject([{ code: 'unauthenticated' }]);
});

test('ends when the Message Content intent is taken away', async () => {
  await using world = await connectDiscord();
  world.discord.gateway.close(4014);
  await expect.poll(() => world.receiver.ends).toMatchObject([{ code: 'config_invalid' }]);
});

test('hands nothing over after it has stopped', async () => {
  await using world = await connectDiscord();
  const { discord, adapter, receiver } = world;
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  receiver.onMessage = async (message) => {
    receiver.messages.push(message);
    reach();
    await held;
  };
  discord.say(discord.channelId, discord.userId, 'first');
  discord.say(discord.channelId, discord.userId, 'second');
  await reached;
  await adapter.stop();
  release();
  await expect.poll(() => discord.gateway.connectionCount).toBe(0);
  expect(receiver.texts).toEqual(['first']);
});

async function startFailure(
  world: Awaited<ReturnType<typeof prepareDiscord>>,
): Promise<BatonError> {
  const error = await world.adapter.start(world.receiver).then(
    () => undefined,
    (reason) => reason,
  );
  if (!BatonError.is(error)) throw new Error(`Expected a BatonError, got ${String(error)}`);
  return error;
}

test('survives a connection that breaks after it was given up', async () => {
  await using world = await connectDiscord();
  const { discord, adapter } = world;
  discord.holdsConnections = true;
  discord.dropConnections({ resumable: true });
  await expect.poll(() => discord.heldConnections).toHaveLength(1);
  await adapter.stop();
  // Without a listener this error would end the process.
  const uncaught = vi.fn();
  process.prependOnceListener('uncaughtException', uncaught);
  const [held] = discord.heldConnections;
  const closed = held && once(held, 'close');
  held?.destroy();
  await closed;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  process.off('uncaughtException', uncaught);
  expect(uncaught).not.toHaveBeenCalled();
});
