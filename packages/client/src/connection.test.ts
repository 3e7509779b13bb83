import { expect, onTestFinished, test, vi } from 'vitest';
import { BatonClient } from './baton-client.ts';
import { Connection } from './connection.ts';
import { server } from './testing/server.ts';

test('a token that comes while the connection is being made is shown before anything is asked', async () => {
  const { io, url } = await server();
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
  const connection = new Connection({ url });
  onTestFinished(() => connection.close());
  await asked.promise;
  // The daemon has seen that there is none, and has not let the client in yet.
  connection.showToken('late');
  accept.resolve();
  expect(await connection.call('x', 'find', [])).toBe('late');
  connection.showToken('later');
  expect(await connection.call('x', 'find', [])).toBe('later');
});

test('a closed client is a permanent error, also for pending calls', async () => {
  const { io, url } = await server();
  const asked = Promise.withResolvers<void>();
  io.on('connection', (socket) => socket.on('find', () => asked.resolve()));
  const client = new BatonClient({ url });
  const lost = client.status.find();
  const following = client.follow('s').next();
  const outcomes = Promise.allSettled([lost, following]);
  await asked.promise;
  client.close();
  const closed = expect.objectContaining({ code: 'daemon_unreachable', retryable: false });
  expect(await outcomes).toEqual([
    { status: 'rejected', reason: closed },
    { status: 'rejected', reason: closed },
  ]);
  await expect(client.status.find()).rejects.toEqual(closed);
});

test('closing a client rejects all pending calls', async () => {
  // Port 9 discards; on loopback nobody listens there.
  const client = new BatonClient({ url: 'http://127.0.0.1:9' });
  const outcomes = Promise.allSettled([client.status.find(), client.follow('s').next()]);
  client.close();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { retryable: false } });
  }
});

test('a connection watcher is notified when it is up, lost, and up again', async () => {
  const { io, url } = await server();
  const connection = new Connection({ url });
  onTestFinished(() => connection.close());
  const states: boolean[] = [];
  const stop = connection.watch((isUp) => states.push(isUp));
  await vi.waitFor(() => expect(states).toEqual([false, true]));
  io.disconnectSockets(true);
  await vi.waitFor(() => expect(states).toEqual([false, true, false, true]));
  stop();
  connection.close();
  expect(states).toHaveLength(4);
});

test('a lost connection reconnects immediately when a call needs it', async () => {
  // By itself it waits for a timer, and none comes to its end here.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { io, url } = await server();
  const connection = new Connection({ url });
  onTestFinished(() => connection.close());
  const becomes = (state: boolean) =>
    new Promise<void>((resolve) => {
      connection.watch((isUp) => isUp === state && resolve());
    });
  await becomes(true);
  const cut = () => {
    for (const { conn } of io.sockets.sockets.values()) conn.close();
  };
  for (const lose of [cut, () => io.disconnectSockets()]) {
    lose();
    await becomes(false);
    connection.reconnect();
    await becomes(true);
  }
  const states: boolean[] = [];
  connection.watch((isUp) => states.push(isUp));
  connection.reconnect();
  expect(states).toEqual([true]);
});

test.each([true, false])('an error is retryable when the daemon says so: %s', async (retryable) => {
  const { io, url } = await server();
  const data = { code: 'conflict', hint: 'Wait.', retryable };
  io.on('connection', (socket) =>
    socket.on('find', (...args) => args.at(-1)({ message: 'Not now.', data })),
  );
  const connection = new Connection({ url });
  onTestFinished(() => connection.close());
  await expect(connection.call('x', 'find', [])).rejects.toMatchObject({
    message: 'Not now.',
    ...data,
  });
});

test('a token that expires again right after its exchange is exchanged again, but not for ever', async () => {
  const { io, url } = await server();
  const expired = { message: 'Expired.', data: { code: 'unauthenticated' } };
  let exchanged = 0;
  let valid = 'token 2';
  io.on('connection', (socket) => {
    let token = socket.handshake.auth.token;
    socket.on('token', (next) => {
      token = next;
    });
    socket.on('renewToken', (_service, _data, answer) => {
      exchanged += 1;
      answer(null, { token: `token ${exchanged}` });
    });
    socket.on('find', (_service, answer) =>
      token === valid ? answer(null, 'found') : answer(expired),
    );
  });
  const connection = new Connection({ url, token: 'old', renewsToken: true });
  onTestFinished(() => connection.close());
  // The clock of the daemon was set while it made the first one.
  expect(await connection.call('x', 'find', [])).toBe('found');
  valid = 'none';
  await expect(connection.call('x', 'find', [])).rejects.toThrow('Expired.');
  expect(exchanged).toBeLessThan(10);
});

test('an expired task token is exchanged once, and the calls are repeated', async () => {
  const { io, url } = await server();
  const exchanged: unknown[] = [];
  const expired = { message: 'Expired.', data: { code: 'unauthenticated' } };
  io.on('connection', (socket) => {
    let token = socket.handshake.auth.token;
    socket.on('token', (next) => {
      token = next;
    });
    socket.on('renewToken', (_service, _data, answer) => {
      exchanged.push(token);
      answer(null, { token: 'new' });
    });
    socket.on('find', (_service, answer) =>
      token === 'new' ? answer(null, 'found') : answer(expired),
    );
  });
  const connection = new Connection({ url, token: 'old', renewsToken: true });
  onTestFinished(() => connection.close());
  const both = [connection.call('x', 'find', []), connection.call('x', 'find', [])];
  expect(await Promise.all(both)).toEqual(['found', 'found']);
  expect(exchanged).toEqual(['old']);
});

test('a token that cannot be exchanged fails with the error of the call', async () => {
  const { io, url } = await server();
  io.on('connection', (socket) => {
    const refuse = (message: string) => ({ message, data: { code: 'unauthenticated' } });
    socket.on('renewToken', (_service, _data, answer) => answer(refuse('No lease.')));
    socket.on('find', (_service, answer) => answer(refuse('Expired.')));
  });
  const connection = new Connection({ url, token: 'old', renewsToken: true });
  onTestFinished(() => connection.close());
  await expect(connection.call('x', 'find', [])).rejects.toThrow('Expired.');
});

test('a client declines the service events of the daemon', async () => {
  const { io, url } = await server();
  const shown = Promise.withResolvers<object>();
  io.on('connection', (socket) => shown.resolve(socket.handshake.auth));
  const connection = new Connection({ url, token: 't' });
  onTestFinished(() => connection.close());
  expect(await shown.promise).toEqual({ token: 't', events: false });
});
