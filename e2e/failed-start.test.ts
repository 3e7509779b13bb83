import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import { CliWorld } from '../packages/cli/src/testing/baton.ts';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

const MAIN = inject('baton');

test.each([
  [
    'a PostgreSQL that is down',
    { DATABASE_URL: 'postgres://a:hunter2@127.0.0.1:1/b' },
    'store_unavailable',
  ],
  ['a file that is no database', {}, 'store_damaged'],
  ['a folder as the database', { DATABASE_URL: 'state' }, 'store_unavailable'],
])('%s at start is an error with a hint, and no stack', async (_what, env, code) => {
  const world = new CliWorld();
  mkdirSync(join(world.cwd, 'state'));
  writeFileSync(join(world.cwd, 'state/baton.db'), 'no database '.repeat(1000));
  const child = world.start({ args: ['serve', '--folder', 'state', '--port', '0'], env });
  const { code: exit, stderr } = await world.finish(child);
  expect(exit).toBe(1);
  expect(stderr).toMatch(new RegExp(`^error \\(${code}\\): `, 'm'));
  expect(stderr).toContain('hint: ');
  expect(stderr).not.toMatch(/^\s+at |hunter2|report it/m);
});

test.each([
  ['serve', '--port', '0'],
  ['db', 'rebuild'],
  ['db', 'backup', 'copy.db'],
])('%s %s refuses a DATABASE_URL of MySQL without showing its password', async (...args) => {
  const world = new CliWorld();
  const env = { DATABASE_URL: 'mysql://u:hunter2@h/x' };
  const { code, stderr } = await world.call({ args: [...args, '--folder', 'state'], env });
  expect(code).toBe(2);
  expect(stderr).toContain('mysql://');
  expect(stderr).not.toContain('hunter2');
  expect(readdirSync(world.cwd).filter((name) => name.startsWith('mysql'))).toEqual([]);
});

test('a daemon that cannot start again leaves the tasks of the one that was killed alone', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-failed-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const state = join(folder, 'state');
  const served = await serveIn(state);
  const client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
  const { session_id } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const { task_id } = await client.sessions.executeTask(session_id, { prompt: 'demo:stall' });
  for await (const { type } of client.follow(session_id)) if (type === 'message.delta') break;
  const gone = once(served.child, 'exit');
  served.child.kill('SIGKILL');
  await gone;

  // It gets as far as taking over what runs, and cannot say where it is.
  const { port } = new URL(served.url);
  rmSync(join(state, 'daemon.json'));
  mkdirSync(join(state, 'daemon.json'));
  const args = [MAIN, 'serve', '--folder', state, '--port', port];
  const failing = spawn(process.execPath, args, { stdio: 'ignore' });
  onTestFinished(() => void failing.kill('SIGKILL'));
  expect(await once(failing, 'exit')).toEqual([1, null]);

  rmSync(join(state, 'daemon.json'), { recursive: true });
  await serveIn(state, Number(port));
  expect(await client.tasks.get(task_id)).toMatchObject({ status: 'RUNNING' });
});
