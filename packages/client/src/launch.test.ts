import type { Socket } from 'socket.io';
import { expect, onTestFinished, test } from 'vitest';
import { BatonClient } from './baton-client.ts';
import { server } from './testing/server.ts';

type Callback = (error: unknown, result?: unknown) => void;
type Given = { session_id?: string; task_id?: string };

/** A daemon whose connection breaks at the first call of a method: before or after it was carried out. */
async function brittle(method: 'create' | 'executeTask', breaks: 'before' | 'after') {
  const { io, url } = await server();
  const sessions = new Set<unknown>();
  const tasks = new Set<unknown>();
  let hasBroken = false;
  const carryOut = (socket: Socket, called: string, act: () => unknown, done: Callback) => {
    const mustBreak = called === method && !hasBroken;
    if (!mustBreak) return done(null, act());
    hasBroken = true;
    if (breaks === 'after') act();
    socket.conn.close();
  };
  io.on('connection', (socket) => {
    socket.on('create', (_service, given: Given, done: Callback) =>
      carryOut(socket, 'create', () => sessions.add(given.session_id) && given, done),
    );
    socket.on('executeTask', (_service, given: Given, done: Callback) =>
      carryOut(socket, 'executeTask', () => tasks.add(given.task_id) && given, done),
    );
  });
  const client = new BatonClient({ url });
  onTestFinished(() => client.close());
  return { client, sessions, tasks };
}

test.each([
  ['create', 'before'],
  ['create', 'after'],
  ['executeTask', 'before'],
  ['executeTask', 'after'],
] as const)(
  'a prompt is launched once although %s breaks %s it was carried out',
  async (method, breaks) => {
    const { client, sessions, tasks } = await brittle(method, breaks);
    const run = await client.launch({ backend: 'demo', cwd: '/', prompt: 'Hi' });
    expect([...tasks]).toEqual([run.runId]);
    expect([...sessions]).toEqual([run.task.session_id]);
  },
);

test('a daemon that never answered is not waited for', async () => {
  const client = new BatonClient({ url: 'http://127.0.0.1:1', timeoutMs: 50 });
  onTestFinished(() => client.close());
  const launching = client.launch({ backend: 'demo', cwd: '/', prompt: 'Hi' });
  await expect(launching).rejects.toMatchObject({ code: 'daemon_unreachable' });
});
