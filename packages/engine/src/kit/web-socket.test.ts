import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { webSocketChannel } from './web-socket.ts';

test('a server that accepts connections and never answers is not reachable', async () => {
  const server = createServer((line) => void onTestFinished(() => void line.destroy()));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const channel = webSocketChannel({
    url: `ws://127.0.0.1:${port}`,
    label: 'the gateway',
    openMs: 50,
    signal: new AbortController().signal,
    onMessage: () => {},
    onClose: () => {},
  });
  await expect(channel).rejects.toMatchObject({ code: 'network_unreachable' });
});
