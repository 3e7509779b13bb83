import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Server as HttpServer, request } from 'node:http';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RowTable } from '@baton/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Daemon, startDaemon } from './start-daemon.ts';
import { setCheapPassword } from './testing/cheap-password.ts';

let folder: string;
let daemon: Daemon;
let token: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-daemon-'));
  daemon = await startDaemon({ folder, port: 0, logLevel: 'silent' });
  token = await login();
});
afterEach(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true });
});

type Reply = { status: number; body: Record<string, unknown> };

async function call(
  method: string,
  path: string,
  { body, as = token, headers = {} }: { body?: unknown; as?: string; headers?: object } = {},
): Promise<Reply> {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(as ? { Authorization: `Bearer ${as}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function login(): Promise<string> {
  const [, secret] = daemon.firstLink?.split('#link=') ?? [];
  const { body } = await call('POST', '/authentication', {
    body: { strategy: 'link', secret },
    as: '',
  });
  return String(body.accessToken);
}

const newSession = async () => {
  const session = { cwd: '/tmp', backend: 'demo' };
  return (await call('POST', '/sessions', { body: session })).body;
};

test('a database cannot be opened with a different master key', async () => {
  await daemon.close();
  const file = join(folder, 'master.key');
  const key = readFileSync(file);
  rmSync(file);
  const again = () => startDaemon({ folder, port: 0, logLevel: 'silent' });
  await expect(again()).rejects.toMatchObject({ code: 'config_invalid' });
  writeFileSync(file, key);
  daemon = await again();
  expect((await call('GET', '/users/me')).status).toBe(200);
});

describe('a daemon', () => {
  test('lets the owner in by a link that works once', async () => {
    expect(await call('GET', '/users/me')).toMatchObject({
      status: 200,
      body: { name: 'owner', role: 'owner', has_password: false },
    });
    const [, secret] = daemon.firstLink?.split('#link=') ?? [];
    const again = await call('POST', '/authentication', {
      body: { strategy: 'link', secret },
      as: '',
    });
    expect(again).toMatchObject({ status: 401, body: { data: { code: 'unauthenticated' } } });
  });

  test('rejects everyone else', async () => {
    for (const as of ['', 'baton_wrong', 'x.y.z']) {
      expect(await call('GET', '/sessions', { as })).toMatchObject({ status: 401 });
    }
  });

  test('forgets a token that is logged out', async () => {
    expect((await call('DELETE', '/authentication/me')).status).toBe(200);
    expect((await call('GET', '/users/me')).status).toBe(401);
  });

  test('accepts a password once the owner has one, and limits guesses', async () => {
    await call('PATCH', '/users/me', { body: { password: 'correct horse' } });
    const guess = (password: string) =>
      call('POST', '/authentication', {
        body: { strategy: 'password', name: 'owner', password },
        as: '',
      });
    expect((await guess('correct horse')).status).toBe(201);
    await setCheapPassword(daemon.store, 'owner', 'correct horse');
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push((await guess('wrong')).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.slice(10)).toEqual([429, 429]);
  });

  test('has sessions, whose tasks wait in a queue', async () => {
    const session = await newSession();
    expect(session).toMatchObject({ cwd: '/tmp', backend: 'demo', permission_mode: 'ask' });
    const task = await call('POST', `/sessions/${session.session_id}/executeTask`, {
      body: { prompt: 'x'.repeat(200), permission_mode: 'auto' },
    });
    expect(task).toMatchObject({
      status: 200,
      body: { status: 'QUEUED', permission_mode: 'auto', description: 'x'.repeat(120) },
    });
    expect((await call('GET', `/tasks?session_id=${session.session_id}`)).body).toMatchObject({
      total: 1,
    });
    const stopped = await call('POST', '/sessions', {
      body: { session_id: session.session_id, task_id: task.body.task_id },
      headers: { 'X-Service-Method': 'stopTask' },
    });
    expect(stopped.body).toMatchObject({ receipt: 'cancelled', task: { status: 'CANCELLED' } });
    const events = await call('GET', `/events?session_id=${session.session_id}`);
    expect(events.body).toMatchObject({ cursor: 4 });
    const messages = await call('GET', `/messages?session_id=${session.session_id}`);
    expect(messages.body.data).toMatchObject([
      { type: 'prompt', role: 'user' },
      { type: 'stop' },
      { type: 'result' },
    ]);
  });

  test('rejects invalid input and names the mistake', async () => {
    const wrong = await call('POST', '/sessions', { body: { cwd: '/tmp' } });
    expect(wrong).toMatchObject({ status: 400, body: { data: { code: 'usage' } } });
    expect(wrong.body.message).toContain('data.backend');
    expect(await call('GET', '/sessions/nowhere')).toMatchObject({ status: 404 });
    expect(await call('GET', '/nothing')).toMatchObject({
      status: 404,
      body: { data: { code: 'not_found', hint: 'See /openapi.json for all methods.' } },
    });
    expect(await call('PUT', '/sessions/x', { body: {} })).toMatchObject({
      status: 405,
      body: { data: { code: 'usage', hint: 'See /openapi.json for how to call each method.' } },
    });
    const broken = await fetch(`${daemon.url}/sessions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: '{',
    });
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({
      message: 'The request body is not valid JSON.',
      data: { hint: 'Send one JSON object, with the content type application/json.' },
    });
  });

  test('refuses a request that another site lets a browser make', async () => {
    const headers = { Origin: 'https://evil.example' };
    expect((await call('GET', '/users/me', { headers })).status).toBe(403);
    const rebound = request(`${daemon.url}/healthz`, { headers: { Host: 'evil.example' } });
    const [{ statusCode }] = await once(rebound.end(), 'response');
    expect(statusCode).toBe(403);
    const own = { Origin: daemon.url };
    expect((await call('GET', '/users/me', { headers: own })).status).toBe(200);
  });

  test('keeps users and sessions across a restart', async () => {
    const session = await newSession();
    await daemon.close();
    daemon = await startDaemon({ folder, port: 0, logLevel: 'silent' });
    expect(daemon.firstLink).toBeUndefined();
    expect(await call('GET', `/sessions/${session.session_id}`)).toMatchObject({ status: 200 });
  });

  test('reports a port that is in use', async () => {
    const port = Number(new URL(daemon.url).port);
    const other = mkdtempSync(join(tmpdir(), 'baton-daemon-'));
    await expect(startDaemon({ folder: other, port })).rejects.toMatchObject({ code: 'usage' });
    rmSync(other, { recursive: true });
  });

  test('without a port, tries the next when another program takes one at the last moment', async () => {
    const { listen } = Server.prototype;
    let isTaken = false;
    const taking = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (
      this: Server,
      ...args: unknown[]
    ) {
      if (isTaken || !(this instanceof HttpServer)) return Reflect.apply(listen, this, args);
      isTaken = true;
      const error = Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
      setImmediate(() => this.emit('error', error));
      return this;
    });
    await daemon.close();
    daemon = await startDaemon({ folder, logLevel: 'silent' });
    taking.mockRestore();
    expect(isTaken).toBe(true);
    expect(await call('GET', '/users/me')).toMatchObject({ status: 200 });
  });

  test('lets go of everything when its database fails while it starts', async () => {
    const port = Number(new URL(daemon.url).port);
    await daemon.close();
    const command = { file: process.execPath, args: ['-e', ''] };
    const options = { folder, port, logLevel: 'silent' as const, executors: { command } };
    const gone = vi.spyOn(RowTable.prototype, 'count').mockRejectedValueOnce(new Error('gone'));
    await expect(startDaemon(options)).rejects.toThrow('gone');
    gone.mockRestore();
    daemon = await startDaemon(options);
  });
});
