import { connect, Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

const MB = 1024 * 1024;
const READERS = 25;

async function attachmentOf(daemon: TestDaemon, bytes: number): Promise<string> {
  const session_id = await daemon.session();
  const data = Buffer.alloc(bytes, 7).toString('base64');
  const body = { session_id, name: 'a', media_type: 'a/b', data };
  const { attachment_id } = (await daemon.call('POST', '/attachments', { body })).body;
  return `/attachments/${attachment_id}`;
}

/** Asks for something and reads nothing of the answer. */
function askAndStall({ daemon, tokens }: TestDaemon, path: string): Socket {
  const { hostname, port, host } = new URL(daemon.url);
  const line = connect(Number(port), hostname).pause();
  onTestFinished(() => void line.destroy());
  line.on('error', () => {});
  const auth = `Authorization: Bearer ${tokens.viewer}`;
  line.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n\r\n`);
  return line;
}

/** Counts the connections that the server ends. */
function watchDrops(): () => number {
  const destroy = vi.spyOn(Socket.prototype, 'destroy');
  onTestFinished(() => destroy.mockRestore());
  const isServed = (line: Socket) => 'server' in line && line.server !== null;
  return () => new Set(destroy.mock.contexts.filter((line) => isServed(line as Socket))).size;
}

const buffered = () => {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
};

test('readers that never read an attachment use little memory, and are disconnected', async () => {
  const daemon = await testDaemon({ leaseMs: 2000 });
  const path = await attachmentOf(daemon, 20 * MB);
  const dropped = watchDrops();
  const before = buffered();
  let most = 0;
  for (let n = 0; n < READERS; n++) askAndStall(daemon, path);
  await expect
    .poll(
      () => {
        most = Math.max(most, buffered() - before);
        return dropped();
      },
      // SQLite reads an attachment from its beginning for each part: 8 seconds for all readers on a quiet machine.
      { timeout: 100_000, interval: 20 },
    )
    .toBeGreaterThanOrEqual(READERS);
  // All of it would be 670 MB.
  expect(most).toBeLessThan(250);
}, 120_000);

test('a client that long-polls is not disconnected', async () => {
  const daemon = await testDaemon({ leaseMs: 300 });
  const session_id = await daemon.session();
  const waited = await daemon.call('GET', `/events?session_id=${session_id}&after=1&wait=1500`);
  expect(waited).toMatchObject({ status: 200, body: { events: [] } });
});
