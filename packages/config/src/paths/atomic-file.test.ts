import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { writeFileAtomically } from './atomic-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-atomic-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('creates a file that only its owner can read, and its folders', () => {
  const path = join(folder, 'a/b/file.json');
  writeFileAtomically(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect([modeOf(path), modeOf(join(folder, 'a'))]).toEqual([0o600, 0o700]);
});

test('replaces a file, keeps its mode and leaves nothing beside it', () => {
  const path = join(folder, 'file');
  writeFileSync(path, 'old, and longer');
  chmodSync(path, 0o640);
  writeFileAtomically(path, Buffer.from('new'));
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(modeOf(path)).toBe(0o640);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('sets a mode that the caller wants', () => {
  const path = join(folder, 'program');
  writeFileAtomically(path, '#!/bin/sh\n', { mode: 0o755 });
  expect(modeOf(path)).toBe(0o755);
});

test.each([
  ['to a file', 'dotfiles/config.json', ['dotfiles/config.json']],
  ['to another link', 'second', ['dotfiles/config.json']],
  ['that leads nowhere yet', 'dotfiles/new.json', ['dotfiles/new.json']],
])('keeps a link %s', (_name, target, [written = '']) => {
  mkdirSync(join(folder, 'dotfiles'));
  writeFileSync(join(folder, 'dotfiles/config.json'), 'old');
  symlinkSync('dotfiles/config.json', join(folder, 'second'));
  const link = join(folder, 'link');
  symlinkSync(target, link);
  writeFileAtomically(link, 'new');
  expect(readlinkSync(link)).toBe(target);
  expect(lstatSync(join(folder, 'second')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, written), 'utf8')).toBe('new');
});

test('keeps a link among the folders', () => {
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'linked'));
  writeFileAtomically(join(folder, 'linked/file'), 'new');
  expect(lstatSync(join(folder, 'linked')).isSymbolicLink()).toBe(true);
  expect(readdirSync(join(folder, 'real'))).toEqual(['file']);
});

test('leaves everything as it is when the file cannot be replaced', () => {
  const path = join(folder, 'taken');
  mkdirSync(join(path, 'inside'), { recursive: true });
  expect(() => writeFileAtomically(path, 'new')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(['taken']);
});

test('fails for a link in a circle, and leaves it', () => {
  const path = join(folder, 'circle');
  symlinkSync('circle', path);
  expect(() => writeFileAtomically(path, 'new')).toThrow();
  expect(readlinkSync(path)).toBe('circle');
});

test.runIf(process.getuid?.() === 0)('keeps the owner of a file', () => {
  const path = join(folder, 'theirs');
  writeFileSync(path, 'old');
  chownSync(path, 1234, 1235);
  writeFileAtomically(path, 'new');
  expect(statSync(path)).toMatchObject({ uid: 1234, gid: 1235 });
});
