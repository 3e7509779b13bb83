import { EventEmitter } from 'node:events';
import type { Role } from '@baton/protocol/wire';
import type { Socket as ServerSocket } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { expect, onTestFinished, test } from 'vitest';
import { seedExecutor } from '../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';
import { limitFrames } from './frame-limit.ts';

const KB = 1024;
const MB = 1024 * KB;

function connected({ daemon }: TestDaemon, token: string, transports = ['websocket']): Socket {
  const socket = io(daemon.url, { transports, auth: { token }, reconnection: false });
  onTestFinished(() => void socket.close());
  return socket;
}

/** Calls a method with so many bytes: the status of its error, or that the connection was closed. */
function sent(socket: Socket, bytes: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('disconnect', () => resolve('closed'));
  const data = { session_id: 'x', prompt: 'x'.repeat(bytes) };
  socket.emit('executeTask', 'sessions', data, (error: { code: number }) =>
    resolve(String(error?.code)),
  );
  return promise;
}

test('an unauthenticated connection can send little', async () => {
  const daemon = await testDaemon();
  expect(await sent(connected(daemon, ''), 7 * KB)).toBe('401');
  expect(await sent(connected(daemon, ''), 9 * KB)).toBe('closed');
  expect(await sent(connected(daemon, 'wrong'), 9 * KB)).toBe('closed');
});

test('viewers can send little, members what a prompt may have', async () => {
  const daemon = await testDaemon();
  expect(await sent(connected(daemon, daemon.tokens.viewer), MB / 2)).toBe('403');
  expect(await sent(connected(daemon, daemon.tokens.viewer), 2 * MB)).toBe('closed');
  expect(await sent(connected(daemon, daemon.tokens.member), 9 * MB)).toBe('404');
  expect(await sent(connected(daemon, daemon.tokens.member), 40 * MB)).toBe('closed');
});

test('what may be sent is the same for a connection that began without a WebSocket', async () => {
  const daemon = await testDaemon();
  const upgraded = async (token: string) => {
    const socket = connected(daemon, token, ['polling', 'websocket']);
    await new Promise((resolve) => socket.io.engine.once('upgrade', resolve));
    return socket;
  };
  expect(await sent(await upgraded(''), 9 * KB)).toBe('closed');
  expect(await sent(await upgraded(daemon.tokens.member), 2 * MB)).toBe('404');
  expect(await sent(connected(daemon, '', ['polling']), 9 * KB)).toBe('closed');
  expect(await sent(connected(daemon, daemon.tokens.member, ['polling']), MB / 2)).toBe('404');
  expect(await sent(connected(daemon, daemon.tokens.member, ['polling']), 2 * MB)).toBe('closed');
});

test('a connection whose token becomes that of a member can send more', async () => {
  const daemon = await testDaemon();
  const socket = connected(daemon, '');
  socket.emit('token', daemon.tokens.member);
  await expect.poll(() => sent(socket, 10)).toBe('404');
  expect(await sent(socket, 2 * MB)).toBe('404');
});

test('an executor can report a large event', async () => {
  const daemon = await testDaemon();
  const { taskId, token } = await seedExecutor(daemon);
  const socket = connected(daemon, token);
  const line = 'x'.repeat(16 * MB);
  const event = { type: 'unparsed', source: 'stdout', line, seq: 1, time: 1, runId: taskId };
  const answer = await new Promise((resolve) =>
    socket.emit('append', 'messages', { events: [event] }, (...args: unknown[]) => resolve(args)),
  );
  expect(answer).toEqual([null, { last_seq: 1 }]);
});

test('renewed tokens add no listeners, and the last one counts after an upgrade', () => {
  const connection = Object.assign(new EventEmitter(), { transport: {} });
  const limit = (role: Role) =>
    limitFrames(connection as unknown as ServerSocket['conn'], {
      kind: 'user',
      userId: 'u',
      tokenId: 't',
      role,
    });
  for (let renewal = 0; renewal < 20; renewal++) limit('viewer');
  limit('member');
  expect(connection.listenerCount('upgrade')).toBe(1);
  const receiver = { _maxPayload: 0 };
  connection.emit('upgrade', { socket: { _receiver: receiver } });
  expect(receiver._maxPayload).toBe(32 * MB);
});
