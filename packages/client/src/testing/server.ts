import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { onTestFinished } from 'vitest';

/** A server whose responses the test defines. */
export async function server(): Promise<{ io: Server; url: string }> {
  const http = createServer();
  const io = new Server(http);
  onTestFinished(() => void io.close());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return { io, url: `http://127.0.0.1:${port}` };
}
