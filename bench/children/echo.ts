import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { tellParent } from '../daemon/place.ts';

/** The least that Socket.IO can do with an event: send it back. */
const server = createServer();
new Server(server).on('connection', (socket) => {
  socket.on('event', (event: unknown) => socket.emit('event', event));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
tellParent({ url: `http://127.0.0.1:${port}`, token: '', executors: [] });
