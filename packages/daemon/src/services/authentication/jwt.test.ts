import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { giveToken } from '../../access/give-token.ts';
import { expiredToken } from '../../testing/expired-token.ts';
import { feathersClient } from '../../testing/feathers-client.ts';
import { seedExecutor } from '../../testing/seed-executor.ts';
import { type Reply, type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

let folder: string;
let daemon: TestDaemon;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-jwt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  daemon = await testDaemon({ folder, trustProxy: ['loopback'] });
});

const jwt = (accessToken: string) => ({ strategy: 'jwt', accessToken });

/** Shows a token over HTTP, from an address behind the proxy. */
function show(accessToken: string, from = '1.1.1.1'): Promise<Reply> {
  const headers = { 'X-Forwarded-For': from };
  return daemon.call('POST', '/authentication', { as: '', body: jwt(accessToken), headers });
}

/** A connection without a token; each call gives its result, or its error. */
function stranger() {
  const client = feathersClient(daemon.daemon.url);
  const call = (service: string, method: string, ...args: unknown[]) =>
    client
      .service(service, method)
      [method]?.(...args)
      .catch((error) => error);
  return { call, authenticate: (token: string) => call('authentication', 'create', jwt(token)) };
}

test('the token of a user is returned with its user', async () => {
  const { status, body } = await show(daemon.tokens.viewer);
  expect(status).toBe(201);
  expect(body).toEqual({
    accessToken: daemon.tokens.viewer,
    user: expect.objectContaining({ name: 'the viewer', role: 'viewer' }),
  });
});

test('a connection acts as the user whose token it showed', async () => {
  const { call, authenticate } = stranger();
  expect(await call('users', 'get', 'me')).toMatchObject({ code: 401 });
  expect(await authenticate(daemon.tokens.member)).toMatchObject({ user: { role: 'member' } });
  expect(await call('users', 'get', 'me')).toMatchObject({ name: 'the member' });
  expect(await call('settings', 'patch', 'x', { value: 1 })).toMatchObject({ code: 403 });
});

test('a connection that logs in with a password acts as that user', async () => {
  const password = 'correct horse';
  await daemon.call('PATCH', '/users/me', { as: daemon.tokens.member, body: { password } });
  const { call } = stranger();
  const credentials = { strategy: 'password', name: 'the member', password };
  await call('authentication', 'create', credentials);
  expect(await call('users', 'get', 'me')).toMatchObject({ name: 'the member' });
});

test('a connection that showed the token of a member may send large messages', async () => {
  const { call, authenticate } = stranger();
  const session_id = await daemon.session();
  await authenticate(daemon.tokens.member);
  // Longer than what others may send, as UTF-8.
  const prompt = 'ü'.repeat(900_000);
  expect(await call('sessions', 'executeTask', { session_id, prompt })).toMatchObject({
    full_prompt: prompt,
  });
});

test('a task token gives a connection the permissions of its executor, and no user', async () => {
  const executor = await seedExecutor(daemon);
  const other = await daemon.session();
  const { call, authenticate } = stranger();
  expect(await authenticate(executor.token)).toEqual({ accessToken: executor.token, user: null });
  expect(await call('tasks', 'get', executor.taskId)).toMatchObject({ status: 'RUNNING' });
  expect(await call('sessions', 'get', other)).toMatchObject({ code: 404 });
  expect(await call('sessions', 'find', {})).toMatchObject({ code: 403 });
  expect(await call('users', 'get', 'me')).toMatchObject({ code: 403 });
  await executor.end('COMPLETED');
  expect(await call('tasks', 'get', executor.taskId)).toMatchObject({ code: 404 });
});

test('an expired task token is refused, and the error says how to renew it', async () => {
  const { status, body } = await show(await expiredToken(daemon.daemon, folder));
  expect(status).toBe(401);
  expect(body.data).toMatchObject({ hint: expect.stringContaining('renewToken') });
});

test('the secret of a one-time link is not a token', async () => {
  const { store } = daemon.daemon;
  const { user_id: userId } = (await daemon.call('GET', '/users/me')).body;
  const link = { userId: String(userId), name: 'l', kind: 'link', role: 'owner' } as const;
  expect((await show((await giveToken(store, link)).secret)).status).toBe(401);
});

test('a refused token leaves a connection as it was', async () => {
  const { call, authenticate } = stranger();
  await authenticate(daemon.tokens.viewer);
  expect(await authenticate('baton_wrong')).toMatchObject({ code: 401 });
  expect(await call('users', 'get', 'me')).toMatchObject({ name: 'the viewer' });
});

test('invalid tokens are limited like invalid links, which does not affect valid ones', async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 40; n++) statuses.add((await show(`baton_wrong ${n}`)).status);
  expect([...statuses]).toEqual([401, 429]);
  expect((await show(daemon.tokens.viewer)).status).toBe(201);
  expect((await show('baton_wrong', '2.2.2.2')).status).toBe(401);
});
