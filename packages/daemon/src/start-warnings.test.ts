import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@baton/store';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startWarnings } from './start-warnings.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-warnings-'));
  store = await openStore({ url: ':memory:' });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
});

const warned = (uid: number, runsTasks = true) => startWarnings(store, { folder, runsTasks, uid });

test('a daemon of root whose agents are not isolated is warned about', async () => {
  expect(await warned(0)).toEqual([expect.stringContaining('runs as root')]);
  await store.records.settings.put({
    name: 'executors.isolation',
    value: '"bubblewrap"',
    updated_at: 1,
  });
  expect(await warned(0)).toEqual([]);
});

test('no other user is warned about, nor root that runs no agents', async () => {
  expect(await warned(1000)).toEqual([]);
  expect(await warned(0, false)).toEqual([]);
});

test('warns about a folder that others can read, with a fix', async () => {
  chmodSync(folder, 0o755);
  expect(await warned(1000)).toEqual([expect.stringContaining(`chmod 700 ${folder}`)]);
});
