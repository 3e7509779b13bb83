import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../open-store.ts';
import { backupSqlite } from './backup-sqlite.ts';

const MODULE = join(import.meta.dirname, 'backup-sqlite.ts');

test('the next backup, or start, removes what one that was killed has left, whatever its name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'baton.db');
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  // It keeps the copy waiting.
  database.exec('create table t (body text); begin exclusive');
  const code = `import(${JSON.stringify(MODULE)}).then((m) => m.backupSqlite(...process.argv.slice(1)))`;
  const monday = join(folder, 'monday.db');
  const child = spawn(process.execPath, ['-e', code, path, monday], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const drafts = () => readdirSync(folder).filter((name) => name.includes('draft'));
  await vi.waitFor(() => expect(drafts()).toHaveLength(1));
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  database.exec('commit');
  // A file of the user, and the draft of a backup that is running.
  const others = ['notes.draft-999999999', `sunday.db.baton-draft-${process.ppid}`];
  for (const name of others) writeFileSync(join(folder, name), '');
  backupSqlite(path, join(folder, 'tuesday.db'));
  expect(drafts().sort()).toEqual(others);
  expect(existsSync(monday)).toBe(false);
  writeFileSync(join(folder, `wednesday.db.baton-draft-${child.pid}-journal`), '');
  await (await openStore({ url: join(folder, 'other.db') })).close();
  expect(drafts().sort()).toEqual(others);
});
