import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

const NO_EXECUTOR = { command: { file: process.execPath, args: ['-e', ''] } };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-folders-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'file'), '');
});

test.each([
  ['is missing', 'missing', 'cwd_missing'],
  ['is a file', 'file', 'cwd_missing'],
  ['is inside of a file', 'file/folder', 'cwd_missing'],
  ['has NUL in its name', 'a\0b', 'usage'],
])('a session in a folder that %s is refused', async (_what, name, code) => {
  const daemon = await testDaemon({ executors: NO_EXECUTOR });
  const body = { cwd: `${folder}/${name}`, backend: 'demo' };
  const refused = await daemon.call('POST', '/sessions', { body });
  expect(refused.status).toBe(400);
  expect(refused.body.data).toMatchObject({ code });
  expect((await daemon.call('GET', '/sessions')).body.total).toBe(0);
});

test('a daemon that runs no tasks leaves the folder to the machine that does', async () => {
  const daemon = await testDaemon();
  const body = { cwd: join(folder, 'missing'), backend: 'demo' };
  expect((await daemon.call('POST', '/sessions', { body })).status).toBe(201);
});
