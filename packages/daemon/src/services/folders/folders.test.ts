import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

function home(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-folders-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the folders of a folder are listed, hidden ones last, with those of Git marked', async () => {
  const daemon = await testDaemon();
  const path = home();
  for (const each of ['b10', 'b9/.git', '.cache']) mkdirSync(join(path, each), { recursive: true });
  writeFileSync(join(path, 'file'), '');
  symlinkSync(join(path, 'b9'), join(path, 'link'));
  symlinkSync('nowhere', join(path, 'broken'));
  const folder = (name: string, is_repository: boolean) => {
    return { name, path: join(path, name), is_repository };
  };
  const expected = {
    path,
    parent: realpathSync(tmpdir()),
    is_repository: false,
    data: [folder('b9', true), folder('b10', false), folder('link', true), folder('.cache', false)],
    complete: true,
  };
  expect((await daemon.call('GET', `/folders?path=${path}`)).body).toEqual(expected);
  vi.stubEnv('HOME', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const query of ['', '?path=', '?path=~', '?path=~/b9/..']) {
    expect((await daemon.call('GET', `/folders${query}`)).body).toEqual(expected);
  }
  const repository = await daemon.call('GET', '/folders?path=~/b9');
  expect(repository.body).toMatchObject({ parent: path, is_repository: true });
});

test('there is nothing above the root', async () => {
  const daemon = await testDaemon();
  expect((await daemon.call('GET', '/folders?path=/')).body).toMatchObject({
    path: '/',
    parent: null,
  });
});

test('a folder that is not there is named', async () => {
  const daemon = await testDaemon();
  const path = join(home(), 'nowhere');
  expect(await daemon.call('GET', `/folders?path=${path}`)).toMatchObject({
    status: 404,
    body: { message: `${path} does not exist on the daemon's machine.` },
  });
});

test('a folder is made once, and only where there is one for it', async () => {
  const daemon = await testDaemon();
  const path = join(home(), 'new');
  const make = (body: object) => daemon.call('POST', '/folders', { body });
  expect((await make({ path })).body).toEqual({ path });
  expect((await make({ path })).body).toEqual({ path });
  writeFileSync(join(path, 'file'), '');
  expect((await make({ path: join(path, 'file') })).status).toBe(400);
  expect((await make({ path: join(path, 'no/where') })).status).toBe(404);
  expect((await make({ path: 'here' })).status).toBe(400);
});
