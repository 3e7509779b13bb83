import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';
import { linkOf, operated, tokenIn } from '../testing/operated.ts';
import { serveIn } from '../testing/served.ts';

test('a one-time link logs in once, and only this user can read the login', async () => {
  const world = new CliWorld();
  const served = await serveIn(join(world.home, '.baton/daemon'));
  const baton = (...args: string[]) => world.call({ args });
  expect(await baton('login', linkOf(served))).toMatchObject({
    code: 0,
    stdout: `Logged in to ${served.url} as owner.\n`,
    stderr: '',
  });
  const path = join(world.home, '.baton/credentials.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await baton('status')).stdout).toContain(`Baton is running at ${served.url}`);
  const again = await baton('login', linkOf(served));
  expect(again).toMatchObject({ code: 5, stdout: '' });
  expect(again.stderr).toContain('This link has already been used');
  expect(again.stderr).toContain(
    'hint: The daemon runs on this machine: use "baton login" without',
  );
  expect(tokenIn(world, served.url), 'the login stays').toMatch(/^baton_/);
});

test('logging out revokes the login, and needs one', async () => {
  const { world, url, baton, ok, client } = await operated();
  const token = tokenIn(world, url);
  expect(await ok('logout')).toContain('Logged out');
  await expect(client.status.find()).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(readFileSync(join(world.home, '.baton/credentials.json'), 'utf8')).not.toContain(token);
  const { code, stdout, stderr } = await baton('sessions');
  expect([code, stdout]).toEqual([5, '']);
  expect(stderr).toContain('Not logged in to the daemon');
  expect(stderr).toContain('baton login');
  expect(await ok('logout')).toContain('Not logged in');
});

test('a login that was revoked elsewhere is said to be void', async () => {
  const { world, baton, client } = await operated();
  await client.authentication.remove();
  const { code, stderr } = await baton('tasks');
  expect(code).toBe(5);
  expect(stderr).toContain('has expired');
  const { stderr: other } = await world.call({
    args: ['tasks'],
    env: { BATON_TOKEN: 'baton_wrong' },
  });
  expect(other).toContain('Invalid token for');
  expect(other).toContain('BATON_TOKEN');
  expect(other).not.toContain('baton_wrong');
});

test('write access to the database is enough to log in as an owner and to create links', async () => {
  const world = new CliWorld();
  const served = await serveIn(join(world.home, '.baton/daemon'));
  expect(await world.call({ args: ['login'] })).toMatchObject({
    code: 0,
    stdout: `Logged in to ${served.url} as owner.\n`,
    stderr: '',
  });
  const { stdout } = await world.call({ args: ['login', '--link'] });
  expect(stdout.trim()).toMatch(new RegExp(`^${served.url}/#link=baton_`));
  expect(await world.call({ args: ['logout'] })).toMatchObject({ code: 0 });
  expect(await world.call({ args: ['login', stdout.trim()] })).toMatchObject({ code: 0 });
});

test('the database of another daemon makes no login', async () => {
  const world = new CliWorld();
  await serveIn(join(world.home, '.baton/daemon'));
  const other = await serveIn(join(world.home, 'other'));
  const { code, stderr } = await world.call({ args: ['login', '--daemon', other.url] });
  expect(code).toBe(1);
  expect(stderr).toContain('uses another database');
});

test.concurrent.each([
  [['login', 'nonsense'], 'Invalid one-time link'],
  [['login', 'ftp://x/#link=a'], 'is not a daemon URL'],
  [['login', 'http://127.0.0.1:9/#link=a'], 'Cannot reach a daemon at http://127.0.0.1:9.'],
  [['login', '--link', 'http://x/#link=a'], 'Pass one LINK or --link'],
  [['status', '--daemon', 'nonsense'], 'is not a daemon URL'],
  [['status', '--folder', '/nowhere'], 'No daemon is running in /nowhere.'],
])('baton %j fails with a hint', async (args, words) => {
  const { code, stdout, stderr } = await new CliWorld().call({ args });
  expect([2, 6]).toContain(code);
  expect(stdout).toBe('');
  expect(stderr).toContain(words);
  expect(stderr).toContain('\nhint: ');
});

test('an unreadable credentials file is an error', async () => {
  const { world, baton } = await operated();
  writeFileSync(join(world.home, '.baton/credentials.json'), '{"half');
  const { code, stderr } = await baton('sessions');
  expect(code).toBe(2);
  expect(stderr).toContain('Invalid credentials file');
  expect(stderr).not.toContain('half');
});

test('a token is never shown by the settings, and a project may not say where it goes', async () => {
  const world = new CliWorld();
  onTestFinished(() => world.end());
  const env = { BATON_TOKEN: 'baton_secret', BATON_URL: 'http://127.0.0.1:9' };
  const { stdout } = await world.call({ args: ['config', '--json'], env });
  expect(stdout).toContain('http://127.0.0.1:9');
  expect(stdout).not.toContain('baton_secret');
  writeFileSync(join(world.cwd, 'baton.json'), '{ "daemonUrl": "http://evil.example" }');
  const { code, stderr } = await world.call({
    args: ['status'],
    env: { BATON_TOKEN: 'baton_secret' },
  });
  expect(code).toBe(2);
  expect(stderr).toContain('may not set daemonUrl');
});
