import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatonClient } from '@baton/client';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { addressesForOthers } from '../addresses.ts';
import { CliWorld } from '../testing/baton.ts';
import { addressIn, login } from '../testing/served.ts';

test.each([
  [['--host', '0.0.0.0'], 'Others could read everything on the way to 0.0.0.0.'],
  [['--tls-cert', 'cert.pem'], 'TLS needs both --tls-cert and --tls-key.'],
  [['--trust-proxy', 'example.com'], '"example.com" is not the address of a proxy.'],
  [['--tls-cert', '/no/cert', '--tls-key', '/no/key'], 'The file cannot be read: /no/cert'],
])('what makes no sense is refused before anything starts: %j', async (args, words) => {
  const { code, stderr } = await new CliWorld().call({ args: ['serve', ...args] });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test('a folder is taken from where the command is called, for its executors too', async () => {
  const world = new CliWorld();
  const child = world.start({ args: ['serve', '--folder', 'state', '--port', '0'] });
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

test('whoever listens to others without TLS is warned, and told the address for them', async () => {
  const world = new CliWorld();
  const args = ['serve', '--folder', 'state', '--port', '0', '--insecure', '--host', '0.0.0.0'];
  const child = world.start({ args });
  const finished = world.finish(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { port } = new URL(addressIn(line).url);
  child.kill('SIGTERM');
  const { code, stderr } = await finished;
  expect(code).toBe(0);
  expect(stderr).toContain('warning: Nothing is encrypted.');
  if (process.getuid?.() === 0) expect(stderr).toContain('warning: The daemon runs as root');
  const [other] = addressesForOthers('0.0.0.0', `http://127.0.0.1:${port}`);
  if (other) expect(stderr).toContain(`Others reach it at ${other}`);
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
  expect(stderr.match(/.*Other users can look into/g)).toEqual([
    'warning: Other users can look into',
  ]);
});

test('a log that cannot be written keeps a daemon neither from its work nor from its end', async () => {
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
