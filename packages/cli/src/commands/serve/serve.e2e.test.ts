import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { addressesForOthers } from '../../arguments/addresses.ts';
import { CliWorld } from '../../testing/baton.ts';
import { addressIn, login } from '../../testing/served.ts';

test.each([
  [['--host', '0.0.0.0'], 'Refusing to listen on 0.0.0.0 without TLS.'],
  [['--tls-cert', 'cert.pem'], 'TLS needs both --tls-cert and --tls-key.'],
  [['--trust-proxy', 'example.com'], '"example.com" is not a proxy address.'],
  [['--tls-cert', '/no/cert', '--tls-key', '/no/key'], 'Cannot read the file: /no/cert'],
])('what makes no sense is refused before anything starts: %j', async (args, words) => {
  const { code, stderr } = await new CliWorld().call({ args: ['serve', ...args] });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test('a folder is resolved from the working directory, for executors too', async () => {
  const world = new CliWorld();
  const child = world.start({
    args: ['serve', '--folder', 'state', '--port', '0', '--stop-tasks'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, secret } = addressIn(line);
  const client = new BatonClient({ url, token: await login({ url, secret }) });
  onTestFinished(() => client.close());
  const { session_id } = await client.sessions.create({ cwd: world.cwd, backend: 'demo' });
  const prompt = `demo:script ${JSON.stringify([{ shell: 'echo hello' }])}`;
  const { task_id } = await client.sessions.executeTask(session_id, { prompt });
  await vi.waitFor(async () => expect((await client.permissions.find()).data).toHaveLength(1), {
    timeout: 10_000,
  });
  const spool = readdirSync(join(world.cwd, 'state/spool'));
  expect(spool.filter((name) => name.includes(task_id))).not.toEqual([]);
  child.kill('SIGTERM');
  await once(child, 'exit');
  world.expectNothingLeft();
});

test('listening without TLS prints a warning and the network address', async () => {
  const world = new CliWorld();
  const args = ['serve', '--folder', 'state', '--port', '0', '--insecure', '--host', '0.0.0.0'];
  const child = world.start({ args });
  const finished = world.finish(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { port } = new URL(addressIn(line).url);
  child.kill('SIGTERM');
  const { code, stderr } = await finished;
  expect(code).toBe(0);
  expect(stderr).toContain('warning: TLS is off.');
  if (process.getuid?.() === 0) expect(stderr).toContain('warning: The daemon runs as root');
  const [other] = addressesForOthers('0.0.0.0', `http://127.0.0.1:${port}`);
  if (other) expect(stderr).toContain(`Reachable on the network at ${other}`);
});

test('a warning at start is printed once', async () => {
  const world = new CliWorld();
  mkdirSync(join(world.cwd, 'state'));
  chmodSync(join(world.cwd, 'state'), 0o755);
  const child = world.start({ args: ['serve', '--folder', 'state', '--port', '0'] });
  const finished = world.finish(child);
  await once(createInterface({ input: child.stdout }), 'line');
  child.kill('SIGTERM');
  const { stderr } = await finished;
  expect(stderr.match(/.*Other users can read/g)).toEqual(['warning: Other users can read']);
});

test('an unwritable log affects neither the work nor the end of a daemon', async () => {
  const world = new CliWorld();
  const full = openSync('/dev/full', 'w');
  const args = [inject('baton'), 'serve', '--verbose', '--folder', 'state', '--port', '0'];
  const child = spawn(process.execPath, args, {
    cwd: world.cwd,
    env: world.env,
    stdio: ['ignore', 'pipe', full],
  });
  closeSync(full);
  if (!child.stdout) throw new Error('unreachable');
  const ended = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, secret } = addressIn(line);
  const token = await login({ url, secret });
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${url}/users/me`, { headers })).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
