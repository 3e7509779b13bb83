import { io } from 'socket.io-client';
import { expect, onTestFinished, test } from 'vitest';
import { testDaemon } from '../testing/test-daemon.ts';

const PAGES = ['/sessions', '/tasks', '/permissions', '/rules'];

test.each(PAGES)('%s takes the names of Feathers for a page', async (path) => {
  const daemon = await testDaemon();
  for (const query of ['limit=3&skip=1', '$limit=3&$skip=1', '%24limit=3&%24skip=1']) {
    const { status, body } = await daemon.call('GET', `${path}?${query}`);
    expect({ status, ...body }).toMatchObject({ status: 200, limit: 3, skip: 1 });
  }
});

test('a WebSocket accepts them too', async () => {
  const daemon = await testDaemon();
  const auth = { token: daemon.tokens.viewer };
  const socket = io(daemon.daemon.url, { transports: ['websocket'], auth });
  onTestFinished(() => void socket.close());
  const [error, page] = await new Promise<unknown[]>((resolve) => {
    socket.emit('find', 'sessions', { $limit: 3 }, (...answer: unknown[]) => resolve(answer));
  });
  expect(error).toBeNull();
  expect(page).toMatchObject({ limit: 3, skip: 0 });
});

test.each([
  ['/sessions?$sort[title]=1', '"$sort"', 'limit? integer = 100; skip? integer = 0; archived?'],
  ['/sessions?limit=1&$limit=2', '"$limit"', 'limit? integer = 100'],
  ['/events?session_id=s&$skip=1', '"$skip"', 'session_id string; after?'],
  ['/usage?group=day', '"group"', 'from? string; to? string; group_by?'],
  ['/users?$limit=1', '"$limit"', 'query takes no parameters.'],
  ['/sessions/s?color=red', '"color"', 'query takes no parameters.'],
])('%s is refused, and what may be asked is named', async (path, unknown, allowed) => {
  const daemon = await testDaemon();
  const { status, body } = await daemon.call('GET', path);
  expect(status).toBe(400);
  expect(body.message).toContain(unknown);
  expect((body.data as { hint: string }).hint).toContain(allowed);
});

test('a query of a custom method is refused too', async () => {
  const daemon = await testDaemon();
  const path = `/sessions/${await daemon.session()}/fork?before_task=x`;
  expect(await daemon.call('POST', path, { body: {} })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('"before_task"') },
  });
});
