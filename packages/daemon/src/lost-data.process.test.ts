import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '@baton/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeFolder } from './folder.ts';
import { startDaemon } from './start-daemon.ts';

const NO_EXECUTORS = { executors: { command: { file: '/bin/false', args: [] }, slots: 0 } };

/** A folder in which a daemon has run. */
async function usedFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-lost-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await (await start(folder)).close();
  return folder;
}

const start = (folder: string, more: { isNew?: boolean } = {}) =>
  startDaemon({ folder, port: 0, logLevel: 'silent', ...NO_EXECUTORS, ...more });

test.each(['missing', 'empty'])(
  'a database that is %s is not begun anew by itself',
  async (how) => {
    const folder = await usedFolder();
    const file = join(folder, 'baton.db');
    if (how === 'empty') truncateSync(file);
    else rmSync(file);
    await expect(start(folder)).rejects.toMatchObject({
      code: 'store_unavailable',
      hint: expect.stringContaining('--new'),
    });
    const daemon = await start(folder, { isNew: true });
    expect(daemon.firstLink).toBeDefined();
    await daemon.close();
  },
);

test('a missing master key is not replaced', async () => {
  const folder = await usedFolder();
  const key = join(folder, 'master.key');
  rmSync(key);
  await expect(start(folder)).rejects.toMatchObject({ code: 'config_invalid' });
  expect(existsSync(key)).toBe(false);
});

test('a folder that cannot be written is named, with a hint', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'baton-lost-')), 'file');
  writeFileSync(file, '');
  // Also root cannot make a folder in a file.
  const folder = join(file, 'state');
  expect(() => lockFolder(folder, { program: 'daemon', option: '--folder' })).toThrow(
    expect.objectContaining({
      code: 'store_unavailable',
      message: expect.stringContaining(`Cannot write to ${folder}`),
      hint: expect.stringContaining('--folder'),
    }),
  );
});

test('a folder stays locked when its lock files are removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-lost-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { leave } = takeFolder(folder);
  onTestFinished(() => leave());
  for (const name of ['daemon.lock', 'daemon.pid']) rmSync(join(folder, name));
  await vi.waitFor(() => expect(existsSync(join(folder, 'daemon.pid'))).toBe(true));
  expect(() => takeFolder(folder)).toThrow('is using');
});
