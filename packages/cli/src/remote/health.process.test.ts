import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ownCertificate } from '../../../daemon/src/testing/own-certificate.ts';
import { healthOf } from './health.ts';

const daemonLike: RequestListener = (_request, response) => response.end('{"status":"ok"}');

test('distinguishes a daemon, another server, an untrusted certificate and no server', async () => {
  const daemon = await listen(createServer(daemonLike));
  const other = await listen(createServer((_request, response) => response.end('hello')));
  const secure = await listen(createSecureServer(ownCertificate(), daemonLike));
  expect(await healthOf(`http://127.0.0.1:${daemon}`)).toBe('ok');
  expect(await healthOf(`http://127.0.0.1:${other}`)).toBe('other');
  expect(await healthOf(`https://127.0.0.1:${secure}`)).toBe('untrusted');
  expect(await healthOf(`https://127.0.0.1:${daemon}`)).toBe('silent');
  expect(await healthOf('http://127.0.0.1:9')).toBe('silent');
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
