import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';
import { operated } from '../testing/operated.ts';
import { serveIn } from '../testing/served.ts';

test('status shows the address, tasks and pending requests', async () => {
  const { url, ok, begin, inbox } = await operated();
  const idle = await ok('status');
  expect(idle).toContain(`Baton is running at ${url}`);
  expect(idle).toContain('SQLite');
  expect(idle).toContain('0 running, 0 need input (4 slots), 0 queued');
  expect(idle).toContain('no pending requests');
  await begin([{ shell: 'true' }]);
  await inbox();
  const busy = await ok('status');
  expect(busy).toContain('0 running, 1 needs input (4 slots), 0 queued');
  expect(busy).toContain('1 pending; see "baton answer"');
  expect(JSON.parse(await ok('status', '--json'))).toMatchObject({
    running: true,
    url,
    slots: 4,
    tasks: { AWAITING_PERMISSION: 1 },
    pending_requests: 1,
  });
});

test('status says clearly that none runs, to machines too', async () => {
  const world = new CliWorld();
  const args = ['status', '--daemon', 'http://127.0.0.1:9'];
  expect(await world.call({ args })).toMatchObject({ code: 6, stdout: '' });
  const { code, stdout } = await world.call({ args: [...args, '--json'] });
  expect([code, JSON.parse(stdout)]).toEqual([6, { running: false }]);
});

test('another server is not mistaken for a daemon', async () => {
  const other = createServer((_, response) => response.end('<html>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { code, stderr } = await new CliWorld().call({
    args: ['status'],
    env: { BATON_URL: url, BATON_TOKEN: 'baton_x' },
  });
  expect(code).toBe(6);
  expect(stderr).toContain(`${url} is not a Baton daemon.`);
});

test('a daemon writes its address to its folder, and a second one is rejected there', async () => {
  const world = new CliWorld();
  const served = await serveIn(join(world.home, '.baton/daemon'));
  const path = join(world.home, '.baton/daemon/daemon.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    url: served.url,
    pid: served.child.pid,
  });
  const second = await world.call({ args: ['serve', '--port', '0'] });
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`Baton is already running at ${served.url} (process `);
  served.child.kill('SIGTERM');
  await new Promise((resolve) => served.child.once('exit', resolve));
  expect(existsSync(path)).toBe(false);
});

test.each(['garbage', '{"url":"x","pid":1}', '{"url":"http://127.0.0.1:9","pid":99999999}', '[]'])(
  'a daemon file with %j is ignored',
  async (content) => {
    const world = new CliWorld();
    const folder = join(world.home, 'daemon');
    await world.finish(world.spawn('mkdir', [folder]));
    writeFileSync(join(folder, 'daemon.json'), content);
    const { code, stderr } = await world.call({ args: ['status', '--folder', folder] });
    expect(code).toBe(6);
    expect(stderr).toContain(`No daemon is running in ${folder}.`);
  },
);
