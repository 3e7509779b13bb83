import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import type { GatewayEvents } from './gateway-events.ts';

const ROOMY = { total: 100, perChannel: 100 };

function message(message_id: string, channel_id = 'discord:1') {
  return { channel_id, message_id, body: '{}' };
}

async function states(events: GatewayEvents, ids: string[]): Promise<(string | undefined)[]> {
  return Promise.all(ids.map(async (id) => (await events.get(message(id)))?.state));
}

onBothEngines('gateway events', ({ open, database }) => {
  test('are stored once, in the order of their channel', async () => {
    const { gatewayEvents: events, gatewayChannels: channels } = await open();
    expect(await events.accept(message('b'), ROOMY)).toBe('accepted');
    expect(await events.accept(message('a'), ROOMY)).toBe('accepted');
    expect(await events.accept(message('b'), ROOMY)).toBe('duplicate');
    expect(await events.accept(message('b', 'discord:2'), ROOMY)).toBe('accepted');
    const rows = await events.recover(() => '');
    const first = rows.filter(({ channel_id }) => channel_id === 'discord:1');
    expect(first.map(({ message_id, position }) => [message_id, position])).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
    expect(Object.fromEntries(await channels.lastMessages())).toEqual({
      'discord:1': 'a',
      'discord:2': 'b',
    });
  });

  test('get different positions when they arrive at once', async () => {
    const { gatewayEvents: events } = await open();
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id) => events.accept(message(id), ROOMY)));
    const rows = await events.recover(() => '');
    expect(new Set(rows.map(({ position }) => position)).size).toBe(20);
  });

  test('are rejected when too many are pending, and stay known', async () => {
    const { gatewayEvents: events, gatewayChannels: channels } = await open();
    const limits = { total: 3, perChannel: 2 };
    expect(await events.accept(message('1'), limits)).toBe('accepted');
    expect(await events.accept(message('2'), limits)).toBe('accepted');
    expect(await events.accept(message('3'), limits)).toBe('rejected');
    expect(await events.accept(message('1', 'discord:2'), limits)).toBe('accepted');
    expect(await events.accept(message('1', 'discord:3'), limits)).toBe('rejected');
    expect(await events.accept(message('3'), ROOMY)).toBe('duplicate');
    expect((await channels.lastMessages()).get('discord:1')).toBe('3');
  });

  test('go from accepted to answered, each step once', async () => {
    const { gatewayEvents: events } = await open();
    await events.accept(message('1'), ROOMY);
    expect(await events.start(message('1'))).toBe(true);
    expect(await events.start(message('1'))).toBe(false);
    await events.agentStarts(message('1'));
    await events.storeResult(message('1'), '{"responseText":"Hi"}');
    expect(await events.get(message('1'))).toMatchObject({
      state: 'replying',
      agent_started: 1,
      result: '{"responseText":"Hi"}',
    });
    await events.end(message('1'), 'answered');
    await events.storeResult(message('1'), 'late');
    expect(await events.get(message('1'))).toMatchObject({
      state: 'answered',
      result: '{"responseText":"Hi"}',
    });
  });

  test('after a restart run again only if the agent had not got the prompt', async () => {
    const { gatewayEvents: events } = await open();
    const ids = ['waiting', 'prepared', 'acting', 'replying', 'done'];
    for (const id of ids) await events.accept(message(id), ROOMY);
    for (const id of ids.slice(1)) await events.start(message(id));
    for (const id of ids.slice(2)) await events.agentStarts(message(id));
    for (const id of ids.slice(3)) await events.storeResult(message(id), 'result');
    await events.end(message('done'), 'answered');
    const rows = await events.recover(({ message_id }) => `interrupted ${message_id}`);
    expect(rows.map(({ message_id, state, result }) => [message_id, state, result])).toEqual([
      ['waiting', 'accepted', null],
      ['prepared', 'accepted', null],
      ['acting', 'replying', 'interrupted acting'],
      ['replying', 'replying', 'result'],
    ]);
    expect(await states(events, ids)).toEqual([
      'accepted',
      'accepted',
      'replying',
      'replying',
      'answered',
    ]);
  });

  test('that a daemon runs wait again after a restart, but only with the same daemon', async () => {
    const { gatewayEvents: events } = await open();
    const places = { here: undefined, same: 'http://one', other: 'http://two' };
    for (const [id, place] of Object.entries(places)) {
      await events.accept(message(id), ROOMY);
      await events.start(message(id));
      await events.agentStarts(message(id), place);
    }
    const rows = await events.recover(() => 'interrupted', 'http://one');
    expect(rows.map(({ message_id, state }) => [message_id, state])).toEqual([
      ['here', 'replying'],
      ['same', 'accepted'],
      ['other', 'replying'],
    ]);
  });

  test('keep the ids of what was sent for them, until they are retried', async () => {
    const { gatewayEvents: events } = await open();
    await events.accept(message('1'), ROOMY);
    await events.storeSent(message('1'), 'too early');
    await events.start(message('1'));
    await events.storeSent(message('1'), 'one');
    await events.storeResult(message('1'), 'result');
    await events.storeSent(message('1'), 'two');
    expect((await events.get(message('1')))?.sent).toBe('two');
    await events.end(message('1'), 'failed');
    await events.retry(message('1'));
    expect((await events.get(message('1')))?.sent).toBeNull();
  });

  test('add what they consumed to their channel, once', async () => {
    const { gatewayEvents: events, gatewayChannels: channels } = await open();
    for (const id of ['1', '2']) {
      await events.accept(message(id), ROOMY);
      await events.start(message(id));
      expect(await events.pendingIn('discord:1')).toBe(1);
      await events.storeResult(message(id), 'result', { totalTokens: 10, costUsd: 0.5 });
      await events.storeResult(message(id), 'result', { totalTokens: 10, costUsd: 0.5 });
      expect(await events.pendingIn('discord:1')).toBe(0);
    }
    const channel = await channels.get('discord:1');
    expect(JSON.parse(channel?.usage ?? '')).toEqual({ totalTokens: 20, costUsd: 1 });
  });

  test('can be retried once they have failed, behind the others', async () => {
    const { gatewayEvents: events, gatewayChannels: channels } = await open();
    await events.accept(message('1'), ROOMY);
    expect(await events.retry(message('1'))).toBe(false);
    await events.start(message('1'));
    await events.agentStarts(message('1'));
    await events.storeResult(message('1'), 'failed');
    await events.end(message('1'), 'failed');
    await events.accept(message('2'), ROOMY);
    expect(await events.retry(message('1'))).toBe(true);
    expect(await events.get(message('1'))).toMatchObject({
      state: 'accepted',
      agent_started: 0,
      result: null,
      position: 3,
    });
    expect(await events.retry(message('1'))).toBe(false);
    expect(await events.retry(message('unknown'))).toBe(false);
    expect((await channels.lastMessages()).get('discord:1')).toBe('2');
  });

  test('are deleted only after they have ended', async () => {
    let time = 1000;
    const { gatewayEvents: events } = await open({ now: () => time });
    for (const id of ['old', 'pending']) await events.accept(message(id), ROOMY);
    await events.start(message('old'));
    await events.storeResult(message('old'), 'result');
    await events.end(message('old'), 'answered');
    time = 2000;
    expect(await events.removeEnded(1000)).toBe(0);
    expect(await events.removeEnded(2000)).toBe(1);
    expect(await states(events, ['old', 'pending'])).toEqual([undefined, 'accepted']);
  });

  test('survive a restart of the process', async () => {
    const url = await database();
    const first = await open({ url });
    await first.gatewayEvents.accept(message('1'), ROOMY);
    await first.close();
    const { gatewayEvents: events } = await open({ url });
    expect(await events.recover(() => '')).toMatchObject([{ message_id: '1', state: 'accepted' }]);
    expect(await events.accept(message('1'), ROOMY)).toBe('duplicate');
  });
});

onBothEngines('gateway sessions', ({ open }) => {
  test('are kept per channel and backend', async () => {
    const { gatewaySessions: sessions } = await open();
    await sessions.set('discord:1', 'claude', 'a');
    await sessions.set('discord:1', 'codex', 'b');
    await sessions.set('discord:2', 'claude', 'c');
    await sessions.set('discord:1', 'claude', 'd');
    expect(await sessions.get('discord:1', 'claude')).toBe('d');
    await sessions.remove('discord:1', 'claude');
    expect(await sessions.get('discord:1', 'claude')).toBeUndefined();
    expect(await sessions.get('discord:1', 'codex')).toBe('b');
    expect(await sessions.get('discord:2', 'claude')).toBe('c');
  });
});

onBothEngines('gateway signatures', ({ open }) => {
  test('are remembered until they expire', async () => {
    let time = 0;
    const { gatewaySignatures: signatures } = await open({ now: () => time });
    expect(await signatures.remember('a', 100)).toBe(true);
    expect(await signatures.remember('a', 100)).toBe(false);
    expect(await signatures.remember('b', 100)).toBe(true);
    time = 100;
    expect(await signatures.remember('a', 100)).toBe(false);
    time = 101;
    expect(await signatures.remember('a', 300)).toBe(true);
  });
});

onBothEngines('gateway channels', ({ open }) => {
  test('keep the choices of their users', async () => {
    const { gatewayChannels: channels } = await open();
    expect(await channels.get('discord:1')).toBeUndefined();
    await channels.choose('discord:1', { backend: 'codex' });
    await channels.choose('discord:1', { model: 'small' });
    expect(await channels.get('discord:1')).toMatchObject({ backend: 'codex', model: 'small' });
    await channels.choose('discord:1', { backend: null });
    expect(await channels.get('discord:1')).toMatchObject({ backend: null, model: 'small' });
  });

  test('remember a message that was handled without being stored', async () => {
    const { gatewayChannels: channels, gatewayEvents: events } = await open();
    await channels.seen('discord:1', '7');
    expect((await channels.lastMessages()).get('discord:1')).toBe('7');
    expect(await events.get(message('7'))).toBeUndefined();
  });
});
