import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeFolder } from './folder.ts';

const HOLDER = join(import.meta.dirname, 'testing/hold-folder.ts');

let folder: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-folder-'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

/** A process that tries to take the folder, and what it says about that. */
function holder(): { child: ChildProcess; says: Promise<string> } {
  const child = spawn(process.execPath, [HOLDER, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return { child, says: once(child.stdout, 'data').then(([data]) => String(data)) };
}

test('a folder belongs to one daemon at a time, which keeps its identity', () => {
  const first = takeFolder(folder);
  expect(() => takeFolder(folder)).toThrow(
    `Another daemon (process ${process.pid}) is using ${folder}.`,
  );
  first.leave();
  const second = takeFolder(folder);
  expect(second.daemonId).toBe(first.daemonId);
  second.leave();
});

test('of many that want a folder in the same instant one gets it', async () => {
  writeFileSync(join(folder, 'daemon.pid'), '1');
  const said = await Promise.all(Array.from({ length: 6 }, () => holder().says));
  expect(said.toSorted()).toEqual([...Array(5).fill('conflict'), 'taken']);
});

test('the folder of a killed daemon is free', async () => {
  const { child, says } = holder();
  expect(await says).toBe('taken');
  expect(() => takeFolder(folder)).toThrow(`Another daemon (process ${child.pid})`);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  takeFolder(folder).leave();
});

test('a daemon that leaves a folder removes its name from it', () => {
  const file = join(folder, 'daemon.pid');
  const { leave } = takeFolder(folder);
  expect(readFileSync(file, 'utf8')).toBe(`${process.pid}`);
  leave();
  expect(existsSync(file)).toBe(false);
});

test('a folder is private, also one of an older daemon', () => {
  const lock = join(folder, 'daemon.lock');
  writeFileSync(lock, '');
  chmodSync(lock, 0o644);
  const { leave } = takeFolder(folder);
  const files = readdirSync(folder);
  const modes = files.map((name) => statSync(join(folder, name)).mode & 0o777);
  leave();
  expect(files).toContain('daemon.lock');
  expect(new Set(modes)).toEqual(new Set([0o600]));
});

test('a rejected attempt does not release the lock', async () => {
  const { leave } = takeFolder(folder);
  expect(() => takeFolder(folder)).toThrow('Another daemon');
  expect(await holder().says).toBe('conflict');
  leave();
});
