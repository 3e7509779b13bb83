import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, object, parseJson } from '@baton/config/values/json';
import type { Channel } from '@baton/engine/definition/driver';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeviceStore } from './device-store.ts';
import type { GatewayAccess } from './gateway-access.ts';
import { GATEWAY_TIMES, gatewayChannel } from './gateway-channel.ts';
import { refusal, StubGateway } from './testing/stub-gateway.ts';

const TIMES = { ...GATEWAY_TIMES, pauseMs: { first: 5, longest: 20 } };

let gateway: StubGateway;
let home: string;
let store: DeviceStore;
let messages: Json[];
let closed: (string | undefined)[];
let channels: Channel[];

beforeEach(async () => {
  gateway = await StubGateway.start();
  home = mkdtempSync(join(tmpdir(), 'openclaw-channel-'));
  store = new DeviceStore(home);
  [messages, closed, channels] = [[], [], []];
});
afterEach(async () => {
  for (const channel of channels) channel.close();
  await gateway.close();
  rmSync(home, { recursive: true });
});

async function connect(more: Partial<GatewayAccess> = {}, times = TIMES): Promise<Channel> {
  const channel = await gatewayChannel({
    access: { url: gateway.url, token: 'shared', ...more },
    store,
    times,
    signal: new AbortController().signal,
    onMessage: (message) => messages.push(object(parseJson(message))),
    onClose: (reason) => closed.push(reason),
  });
  channels.push(channel);
  return channel;
}

function connections(): unknown[] {
  return messages.flatMap(
    ({ connection, payload }) => connection ?? (object(payload).type === 'hello-ok' ? 'hello' : []),
  );
}

describe('the credentials', () => {
  test('are the shared token first, then the device token that the gateway issued', async () => {
    await connect();
    await connect();
    expect(gateway.auths).toEqual([{ token: 'shared' }, { deviceToken: 'device-1' }]);
    expect(messages[0]).toMatchObject({ id: 'connect', payload: { type: 'hello-ok' } });
  });

  test('of a device that the gateway no longer accepts are cleared, with one retry', async () => {
    store.keepToken(gateway.url, { token: 'stale', scopes: ['operator.read'] });
    await connect();
    expect(gateway.auths).toEqual([{ deviceToken: 'stale' }, { token: 'shared' }]);
    expect(store.token(gateway.url)?.token).toBe('device-1');
  });

  test('are not tried a third time', async () => {
    store.keepToken(gateway.url, { token: 'stale', scopes: ['operator.read'] });
    await expect(connect({ token: 'wrong' })).rejects.toMatchObject({ code: 'auth_missing' });
    expect(gateway.auths).toHaveLength(2);
    expect(store.token(gateway.url)).toBeUndefined();
  });

  test('include a password, which is not signed', async () => {
    gateway.onConnect = ({ auth }) =>
      object(auth).password === 'secret' ? { payload: { type: 'hello-ok' } } : undefined;
    await connect({ token: undefined, password: 'secret' });
    expect(gateway.auths).toEqual([{ password: 'secret' }]);
  });

  test('of one gateway are not sent to another', async () => {
    await connect();
    const other = await StubGateway.start();
    await connect({ url: other.url });
    expect(other.auths).toEqual([{ token: 'shared' }]);
    await other.close();
  });

  test('keep the scopes that were granted', async () => {
    store.keepToken(gateway.url, { token: 'device-1', scopes: ['operator.read'] });
    await connect();
    expect(gateway.of('connect')[0]?.scopes).toEqual(['operator.read']);
  });
});

describe('the signature', () => {
  test.each([-3_600_000, 3_600_000])(
    'is valid when the clocks differ by %i ms: it has the time of the challenge',
    async (skew) => {
      gateway.now = () => Date.now() + skew;
      await connect();
      expect(connections()).toEqual(['hello']);
    },
  );

  test('that expired on the way is made again, once', async () => {
    let refusals = 0;
    gateway.onConnect = () => {
      refusals += 1;
      return refusals === 1 ? refusal('DEVICE_AUTH_SIGNATURE_EXPIRED') : undefined;
    };
    await connect();
    expect(refusals).toBe(2);
    gateway.onConnect = () => refusal('DEVICE_AUTH_SIGNATURE_EXPIRED');
    await expect(connect()).rejects.toMatchObject({ code: 'access_denied' });
  });
});

describe('a gateway', () => {
  const starting = refusal('', {
    code: 'UNAVAILABLE',
    message: 'gateway starting',
    retryable: true,
    retryAfterMs: 1,
  });

  test('that is starting is tried again', async () => {
    let attempts = 0;
    gateway.onConnect = () => {
      attempts += 1;
      return attempts < 4 ? starting : undefined;
    };
    await connect();
    expect(attempts).toBe(4);
  });

  test('that never gets ready is given up', async () => {
    gateway.onConnect = () => starting;
    await expect(connect({}, { ...TIMES, startMs: 30 })).rejects.toMatchObject({
      code: 'network_unreachable',
      message: 'The OpenClaw gateway is not ready: gateway starting',
    });
  });

  test('that wants the device to be paired needs approval', async () => {
    const details = { code: 'PAIRING_REQUIRED', requestId: 'r-1', reason: 'not-paired' };
    gateway.onConnect = () => ({
      error: { code: 'NOT_PAIRED', message: 'pairing required', details },
    });
    await expect(connect()).rejects.toMatchObject({
      code: 'approval_required',
      message: expect.stringContaining('approval'),
      hint: expect.stringContaining('openclaw devices approve r-1'),
    });
  });

  test('that says nothing is given up', async () => {
    gateway.isSilent = true;
    await expect(connect({}, { ...TIMES, handshakeMs: 20 })).rejects.toMatchObject({
      code: 'network_unreachable',
      message: 'The OpenClaw gateway did not finish the handshake.',
    });
  });
});

describe('a lost connection', () => {
  test('is restored, and the dialect is told', async () => {
    await connect();
    gateway.cut();
    await vi.waitUntil(() => connections().length === 3);
    expect(connections()).toEqual(['hello', 'lost', 'hello']);
    expect(closed).toEqual([]);
  });

  test('takes the messages that come after it', async () => {
    gateway.onRequest = (method) => ({ payload: { echo: method } });
    const channel = await connect();
    gateway.cut();
    await vi.waitUntil(() => connections().length === 3);
    channel.send(JSON.stringify({ type: 'req', id: '1', method: 'health' }));
    await vi.waitUntil(() => messages.some(({ id }) => id === '1'));
  });

  test('to a gateway that rejects the device now is given up with the reason', async () => {
    await connect();
    gateway.onConnect = () => ({
      error: { code: 'NOT_PAIRED', message: 'gone', details: { code: 'PAIRING_REQUIRED' } },
    });
    gateway.cut();
    await vi.waitUntil(() => closed.length === 1);
    expect(messages.at(-1)).toMatchObject({
      connection: 'failed',
      error: { code: 'approval_required' },
    });
  });

  test('that stays lost is given up', async () => {
    await connect({}, { ...TIMES, reconnectMs: 30 });
    await gateway.close();
    await vi.waitUntil(() => closed.length === 1);
    expect(messages.at(-1)).toMatchObject({ error: { code: 'network_unreachable' } });
  });

  test('is recognised by silence', async () => {
    gateway.tickIntervalMs = 10;
    await connect();
    gateway.tickIntervalMs = 30_000;
    await vi.waitUntil(() => connections().length === 3);
    expect(connections()).toEqual(['hello', 'lost', 'hello']);
  });

  test('is not restored once the channel is closed', async () => {
    const channel = await connect({}, { ...TIMES, pauseMs: { first: 60_000, longest: 60_000 } });
    gateway.cut();
    await vi.waitUntil(() => connections().includes('lost'));
    channel.close();
    expect(closed).toEqual([undefined]);
    expect(gateway.auths).toHaveLength(1);
  });
});
