import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { testDaemon } from '../testing/test-daemon.ts';

test('a daemon closes connections that send no request', async () => {
  const { daemon } = await testDaemon();
  const { port } = new URL(daemon.url);
  const sockets = [0, 1, 2].map(() => connect(Number(port), '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => {});
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
});
