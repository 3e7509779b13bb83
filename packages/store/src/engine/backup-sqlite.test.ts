import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../open-store.ts';
import { DONE, message, STARTED, startedRun } from '../testing/session.ts';
import { backupSqlite } from './backup-sqlite.ts';

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a backup of a database in use is a complete database with everything committed', async () => {
  const folder = scratch();
  const store = await openStore({ url: join(folder, 'baton.db') });
  const run = await startedRun(store);
  await run.say(STARTED, ...message('m', 'Before.'));
  const { bytes } = backupSqlite(join(folder, 'baton.db'), join(folder, 'copy.db'));
  await run.say(...message('n', 'After.'), DONE);
  await store.close();
  expect(bytes).toBeGreaterThan(0);
  expect(statSync(join(folder, 'copy.db')).mode & 0o777).toBe(0o600);
  const copy = await openStore({ url: join(folder, 'copy.db') });
  onTestFinished(() => copy.close());
  const entries = await copy.entries(run.sessionId, { limit: 10 });
  expect(entries.map(({ kind }) => kind)).toEqual(['prompt', 'text']);
  await copy.rebuild();
  expect(await copy.entries(run.sessionId, { limit: 10 })).toEqual(entries);
});

test('a backup replaces nothing, and leaves nothing behind when it fails', async () => {
  const folder = scratch();
  await (await openStore({ url: join(folder, 'baton.db') })).close();
  writeFileSync(join(folder, 'mine'), 'mine');
  const before = readdirSync(folder);
  const path = join(folder, 'baton.db');
  expect(() => backupSqlite(path, join(folder, 'mine'))).toThrow('already exists');
  expect(() => backupSqlite(path, join(folder, 'no/folder'))).toThrow('The backup failed');
  expect(() => backupSqlite(join(folder, 'none.db'), join(folder, 'x'))).toThrow('No database');
  writeFileSync(join(folder, 'garbage.db'), 'garbage'.repeat(1000));
  expect(() => backupSqlite(join(folder, 'garbage.db'), join(folder, 'x'))).toThrow(
    'The backup failed',
  );
  expect(readdirSync(folder)).toEqual([...before, 'garbage.db'].sort());
});
