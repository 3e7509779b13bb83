import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { REQUEST_TIMES } from './listen.ts';

const HALVES = [
  '',
  'GET / HTTP/1.1\r\nHost: x\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
];

test('a connection that does not complete its request is closed', async () => {
  // The same times, a hundred times as fast.
  const fast = Object.entries(REQUEST_TIMES).map(([name, ms]) => [name, ms / 100]);
  const server = createServer(Object.fromEntries(fast), (_request, response) => {
    response.end();
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await Promise.all(
    HALVES.map(async (half) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(half);
      await once(socket.resume(), 'close');
    }),
  );
});
