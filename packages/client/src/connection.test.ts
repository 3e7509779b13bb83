import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from './connection.ts';

test('a token that comes while the connection is being made is shown before anything is asked', async () => {
  const http = createServer();
  const io = new Server(http);
  onTestFinished(() => void io.close());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const asked = Promise.withResolvers<void>();
  const accept = Promise.withResolvers<void>();
  io.use(async (socket, next) => {
    socket.data.token = socket.handshake.auth.token;
    asked.resolve();
    await accept.promise;
    next();
  });
  io.on('connection', (socket) => {
    socket.on('token', (token) => {
      socket.data.token = token;
    });
    socket.on('find', (_service, answer) => answer(null, socket.data.token));
  });
  const { port } = http.address() as AddressInfo;
  const connection = new Connection({ url: `http://127.0.0.1:${port}` });
  onTestFinished(() => connection.close());
  await asked.promise;
  // The daemon has seen that there is none, and has not let the client in yet.
  connection.showToken('late');
  accept.resolve();
  expect(await connection.call('x', 'find', [])).toBe('late');
  connection.showToken('later');
  expect(await connection.call('x', 'find', [])).toBe('later');
});
