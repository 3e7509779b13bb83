import { once } from 'node:events';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { expect, onTestFinished, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';
import { operatedApart, tokenIn } from '../testing/operated.ts';
import { serveIn } from '../testing/served.ts';

test('a backup taken while the daemon runs can be served', async () => {
  const { world, folder, served, begin, ended, has, ok, baton, client } = await operatedApart();
  const done = await begin([{ say: 'Kept.' }]);
  await ended(done);
  const busy = await begin('demo:flood=20000');
  await has(busy, 'text');
  const file = join(world.home, 'backup.db');
  const said = await ok('db', 'backup', file);
  expect(said).toContain(file);
  expect(said).toContain(join(folder, 'master.key'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await baton('db', 'backup', file);
  expect([again.code, again.stdout]).toEqual([2, '']);
  expect(again.stderr).toContain('hint: Choose another file name');
  const { data: kept } = await client.messages.find({ session_id: done.session_id });
  const restored = join(world.home, 'restored');
  mkdirSync(restored);
  copyFileSync(file, join(restored, 'baton.db'));
  copyFileSync(join(folder, 'master.key'), join(restored, 'master.key'));
  const second = await serveIn(restored);
  // Logins are in the database too.
  const other = new BatonClient({ url: second.url, token: tokenIn(world, served.url) });
  onTestFinished(() => other.close());
  const { data } = await other.messages.find({ session_id: done.session_id });
  expect(data).toEqual(kept);
  expect((await other.tasks.get(busy.task_id)).task_id).toBe(busy.task_id);
});

test('tables are rebuilt only while no daemon uses the database', async () => {
  const { world, folder, served, begin, ended, ok, baton } = await operatedApart();
  const task = await begin([{ say: 'Hello.' }]);
  await ended(task);
  const before = await ok('export', task.session_id);
  const { code, stdout, stderr } = await baton('db', 'rebuild');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`Another daemon (process ${served.child.pid}) is using ${folder}.`);
  served.child.kill('SIGTERM');
  await once(served.child, 'exit');
  expect(await ok('db', 'rebuild')).toBe('1 session was made anew.\n');
  await serveIn(folder, Number(new URL(served.url).port));
  const after = await world.call({ args: ['export', task.session_id] });
  expect(after.code).toBe(0);
  expect(after.stdout.split('\n').slice(1)).toEqual(before.split('\n').slice(1));
});

test('tables are not rebuilt while a task runs without its daemon', async () => {
  const { folder, served, begin, has, ok, baton } = await operatedApart();
  const task = await begin('demo:stall');
  await has(task, 'text');
  served.child.kill('SIGKILL');
  await once(served.child, 'exit');
  const { code, stdout, stderr } = await baton('db', 'rebuild');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('1 task is running.');
  await serveIn(folder, Number(new URL(served.url).port));
  expect(await ok('stop', task.task_id)).toContain('stopped; no processes left');
});

test('does not create a missing database', async () => {
  const world = new CliWorld();
  for (const args of [['rebuild'], ['backup', 'x.db']]) {
    const { code, stderr } = await world.call({ args: ['db', ...args, '--folder', 'nowhere'] });
    expect(code).toBe(4);
    expect(stderr).toContain('No database at nowhere/baton.db.');
  }
  const env = { DATABASE_URL: 'postgres://somebody:secret@127.0.0.1:9/x' };
  const { code, stderr } = await world.call({ args: ['db', 'backup', 'x.db'], env });
  expect(code).toBe(2);
  expect(stderr).toContain('pg_dump');
  expect(stderr).not.toContain('secret');
});
