import { io } from 'socket.io-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testDaemon } from '../testing/test-daemon.ts';

const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];

describe.each(NAMES)('%s is nothing', (name) => {
  test('for anybody', async () => {
    const daemon = await testDaemon();
    for (const as of ['', daemon.tokens.owner]) {
      expect((await daemon.call('GET', `/${name}`, { as })).status).toBe(404);
      expect((await daemon.call('GET', `/${name}/x`, { as })).status).toBe(404);
      expect((await daemon.call('POST', `/${name}`, { as, body: {} })).status).toBe(404);
    }
  });

  test.each(['backends', 'sessions', 'tasks', 'settings', 'messages', 'attachments'])(
    'as an id of %s',
    async (service) => {
      const daemon = await testDaemon();
      expect((await daemon.call('GET', `/${service}/${name}`)).status).toBe(404);
      expect((await daemon.call('GET', `/${service}/${name}`, { as: '' })).status).toBe(401);
      expect((await daemon.call('GET', `/${service}/x/${name}`)).status).toBe(404);
    },
  );

  test('for who changes something', async () => {
    const daemon = await testDaemon();
    const setting = { body: { value: 1 } };
    expect((await daemon.call('PATCH', `/settings/${name}`, setting)).status).toBe(404);
    const options = { body: { options: {} } };
    expect((await daemon.call('PATCH', `/backends/${name}`, options)).status).toBe(404);
    const custom = await daemon.call('POST', `/sessions/${name}`, { body: {} });
    expect([400, 404, 405]).toContain(custom.status);
  });

  test('as a service or an id over a WebSocket', async () => {
    const { daemon, tokens } = await testDaemon();
    const auth = { token: tokens.owner };
    const socket = io(daemon.url, { transports: ['websocket'], auth });
    onTestFinished(() => void socket.close());
    const emit = (...args: unknown[]) =>
      new Promise<{ code: number }>((resolve) => socket.emit('get', ...args, resolve));
    expect((await emit(name, 'x', {})).code).toBe(404);
    expect((await emit('backends', name, {})).code).toBe(404);
    expect((await emit('settings', name, {})).code).toBe(404);
  });
});
