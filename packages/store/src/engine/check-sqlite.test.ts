import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatonError } from '@baton/protocol';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../open-store.ts';
import { newSession } from '../testing/session.ts';
import { checkSqlite } from './check-sqlite.ts';

let path: string;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-damage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'baton.db');
  const store = await openStore({ url: path });
  for (let n = 0; n < 50; n++) await newSession(store, 'x'.repeat(400));
  await store.close();
});

/** Overwrites the middle of the file, as a failing disk may. */
function damage(): void {
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(size / 2, 0x5a), 0, size / 2, Math.floor(size / 4));
  closeSync(file);
}

const damaged = expect.objectContaining({
  code: 'store_damaged',
  retryable: false,
  message: expect.stringContaining('baton.db is damaged'),
  hint: expect.stringContaining('backup'),
});

test('a sound database is opened', async () => {
  const store = await openStore({ url: path });
  expect(await store.records.sessions.count()).toBe(50);
  await store.close();
});

test('a damaged database is noticed when it is opened', async () => {
  damage();
  await expect(openStore({ url: path })).rejects.toEqual(damaged);
});

test('a file that is not a database is rejected and unchanged', async () => {
  writeFileSync(path, 'This is a letter to my grandmother. '.repeat(200));
  const { size } = statSync(path);
  await expect(openStore({ url: path })).rejects.toEqual(damaged);
  expect(statSync(path).size).toBe(size);
});

test('a large damaged database is noticed in the background', async () => {
  damage();
  const told = Promise.withResolvers<BatonError>();
  const end = checkSqlite(path, { atOnceBytes: 0, onDamage: told.resolve });
  onTestFinished(end);
  expect(await told.promise).toEqual(damaged);
});

test('a check in the background ends with the store', async () => {
  const found: BatonError[] = [];
  const end = checkSqlite(path, { atOnceBytes: 0, onDamage: (error) => found.push(error) });
  await end();
  expect(found).toEqual([]);
});
