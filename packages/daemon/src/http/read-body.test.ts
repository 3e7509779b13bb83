import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

const MB = 1024 * 1024;

type Sent = { path: string; token?: string; bytes: number; sent?: string; headers?: string[] };
type Heard = { status: number; closes: boolean };

/** Announces a body of so many bytes, sends only some of it, and gives what is answered to that. */
async function announce(
  { daemon }: TestDaemon,
  { path, token, bytes, sent = '{', headers = [`Content-Length: ${bytes}`] }: Sent,
): Promise<Heard> {
  const { hostname, port, host } = new URL(daemon.url);
  const line: Socket = connect(Number(port), hostname);
  onTestFinished(() => void line.destroy());
  const auth = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  const type = 'Content-Type: application/json';
  line.write(
    [`POST ${path} HTTP/1.1`, `Host: ${host}`, type, ...auth, ...headers, '', sent].join('\r\n'),
  );
  let heard = '';
  for await (const data of line) heard += data;
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1]),
    closes: /^connection: close/im.test(heard),
  };
}

const CHUNKED = ['Transfer-Encoding: chunked'];

describe('nothing is read of a body', () => {
  test.each<[string, Omit<Sent, 'token'>, number]>([
    ['that nobody sends', { path: '/sessions', bytes: 30 * MB }, 401],
    [
      'that nobody sends in chunks',
      { path: '/sessions', bytes: 0, headers: CHUNKED, sent: '1\r\n{\r\n' },
      401,
    ],
    [
      'that nobody sends to a custom method',
      { path: '/sessions/x/executeTask', bytes: 30 * MB },
      401,
    ],
    ['for a login that is too large', { path: '/authentication', bytes: 9 * 1024 }, 413],
    ['for an address with nothing at it', { path: '/nothing', bytes: 30 * MB }, 404],
    ['for a method that is not there', { path: '/status', bytes: 30 * MB }, 405],
  ])('%s', async (_what, request, status) => {
    const daemon = await testDaemon();
    expect(await announce(daemon, request)).toEqual({ status, closes: true });
  });

  test('of a user without permission', async () => {
    const daemon = await testDaemon();
    const token = daemon.tokens.viewer;
    const request = { path: '/attachments', token, bytes: 28 * MB };
    expect(await announce(daemon, request)).toEqual({ status: 403, closes: true });
  });

  test.each([
    ['/sessions', 2 * MB],
    ['/attachments', 33 * MB],
    ['/sessions/x/executeTask', 33 * MB],
  ])('that is too large for its method: %s', async (path, bytes) => {
    const daemon = await testDaemon();
    const token = daemon.tokens.owner;
    expect(await announce(daemon, { path, token, bytes })).toEqual({ status: 413, closes: true });
  });
});

test('a body in chunks is refused once it is too large', async () => {
  const daemon = await testDaemon();
  const sent = `${(2 * MB).toString(16)}\r\n${' '.repeat(2 * MB)}\r\n`;
  const request = { path: '/sessions', bytes: 0, headers: CHUNKED, sent };
  const heard = await announce(daemon, { ...request, token: daemon.tokens.owner });
  expect(heard).toEqual({ status: 413, closes: true });
});

test('a client that sends the whole body still gets the reason of the rejection', async () => {
  const daemon = await testDaemon();
  const body = { cwd: 'x'.repeat(20 * MB), backend: 'demo' };
  expect((await daemon.call('POST', '/sessions', { as: '', body })).status).toBe(401);
  const { status, body: shown } = await daemon.call('POST', '/sessions', { body });
  expect(status).toBe(413);
  expect(shown.data).toMatchObject({ hint: 'The limit for this method is 1 MB.' });
});

test('accepts a prompt of 10 MB where owners allow it', async () => {
  const daemon = await testDaemon();
  const id = await daemon.session();
  const limit = { body: { value: 10_000_000 } };
  await daemon.call('PATCH', '/settings/prompts.max_length', limit);
  const body = { prompt: 'x'.repeat(10_000_000) };
  const queued = await daemon.call('POST', `/sessions/${id}/executeTask`, { body });
  expect(queued.status).toBe(200);
});
