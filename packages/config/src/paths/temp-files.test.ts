import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TempFiles } from './temp-files.ts';

test('a file contains what was written and is private', () => {
  const files = new TempFiles();
  const path = files.write('prompt.txt', 'Secret \u{1F600}');
  expect(readFileSync(path, 'utf8')).toBe('Secret \u{1F600}');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  files.remove();
});

test('all files of one agent share a folder, which goes with them', () => {
  const files = new TempFiles();
  const paths = [files.write('a', '1'), files.write('b', '2')];
  expect(new Set(paths.map(dirname)).size).toBe(1);
  files.remove();
  expect(paths.some(existsSync)).toBe(false);
  expect(existsSync(dirname(paths[0] ?? ''))).toBe(false);
});

test('two agents never share one', () => {
  const [one, two] = [new TempFiles(), new TempFiles()];
  expect(one.write('a', '1')).not.toBe(two.write('a', '2'));
  one.remove();
  two.remove();
});

test('without a file there is no folder, and removing nothing is not an error', () => {
  const own = mkdtempSync(join(tmpdir(), 'temp-files-'));
  onTestFinished(() => rmSync(own, { recursive: true }));
  vi.stubEnv('TMPDIR', own);
  onTestFinished(() => void vi.unstubAllEnvs());
  const files = new TempFiles();
  files.remove();
  files.remove();
  expect(readdirSync(own)).toEqual([]);
  files.write('a', '1');
  expect(readdirSync(own)).toHaveLength(1);
  files.remove();
  expect(readdirSync(own)).toEqual([]);
});

test('files can be written again after they were removed', () => {
  const files = new TempFiles();
  files.write('a', '1');
  files.remove();
  const path = files.write('a', '2');
  expect(readFileSync(path, 'utf8')).toBe('2');
  files.remove();
  expect(existsSync(path)).toBe(false);
});
