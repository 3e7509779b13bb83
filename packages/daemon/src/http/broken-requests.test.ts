import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { errorForm } from '../testing/error-form.ts';
import { testDaemon } from '../testing/test-daemon.ts';
import { answerBrokenRequests } from './broken-requests.ts';

/** The body of what a server answers to some bytes. */
async function answerTo(port: number, bytes: string): Promise<unknown> {
  const line = connect(port, '127.0.0.1');
  onTestFinished(() => void line.destroy());
  line.write(bytes);
  let text = '';
  for await (const piece of line) text += piece;
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
}

test.each([
  ['what is no request', 400, 'nonsense\r\n\r\n'],
  ['a verb that nobody knows', 400, 'DANCE /sessions HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['ever more headers', 431, `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
] as const)('%s has an error in the form of all others', async (_what, status, bytes) => {
  const { daemon } = await testDaemon();
  const port = Number(new URL(daemon.url).port);
  expect(await answerTo(port, bytes)).toEqual(errorForm({ status, code: 'usage' }));
});

test('a request that does not come to its end has one too', async () => {
  const server = createServer({ headersTimeout: 20, connectionsCheckingInterval: 10 });
  answerBrokenRequests(server);
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const expected = errorForm({ status: 408, code: 'timed_out' });
  expect(await answerTo(port, 'GET / HTTP/1.1\r\n')).toEqual(expected);
});
