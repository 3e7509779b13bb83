import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { editFile, readText } from './edit-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edit-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('file and backup have the mode of the file', () => {
  const path = join(folder, 'a.json');
  writeFileSync(path, 'old');
  chmodSync(path, 0o640);
  const { backup = '' } = editFile(path, () => 'new');
  expect([readFileSync(path, 'utf8'), readFileSync(backup, 'utf8')]).toEqual(['new', 'old']);
  expect([modeOf(path), modeOf(backup)]).toEqual([0o640, 0o640]);
  expect(readdirSync(folder).sort()).toEqual(['a.json', 'a.json.baton-backup']);
});

test('a new file is private, and so is its folder', () => {
  const path = join(folder, 'new/a.json');
  expect(editFile(path, (text) => `${text}new`)).toEqual({ path });
  expect([modeOf(path), modeOf(join(folder, 'new'))]).toEqual([0o600, 0o700]);
});

test('an edit that changes nothing writes nothing', () => {
  const path = join(folder, 'a.json');
  writeFileSync(path, 'old');
  const before = statSync(path).ino;
  editFile(path, (text) => text);
  expect([statSync(path).ino, readdirSync(folder)]).toEqual([before, ['a.json']]);
});

test('a link stays, and the file that it leads to is edited', () => {
  mkdirSync(join(folder, 'dotfiles'));
  const target = join(folder, 'dotfiles/real.json');
  writeFileSync(target, 'old');
  symlinkSync('dotfiles/real.json', join(folder, 'first.json'));
  symlinkSync('first.json', join(folder, 'link.json'));
  expect(editFile(join(folder, 'link.json'), () => 'new').path).toBe(target);
  expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
});

test('a link that leads to itself is an error', () => {
  const path = join(folder, 'loop');
  symlinkSync('loop', path);
  expect(() => editFile(path, () => 'new')).toThrow('leads to itself');
});

test('an edit is repeated when the file changed meanwhile', () => {
  const path = join(folder, 'a.json');
  writeFileSync(path, '1');
  const changes = ['2', '3'];
  editFile(
    path,
    (text) => `${text}+`,
    () => {
      const next = changes.shift();
      if (next) writeFileSync(path, next);
    },
  );
  expect(readFileSync(path, 'utf8')).toBe('3+');
  expect(readdirSync(folder).sort()).toEqual(['a.json', 'a.json.baton-backup']);
});

test('a file that never rests is left alone', () => {
  const path = join(folder, 'a.json');
  let count = 0;
  const write = () => {
    count += 1;
    writeFileSync(path, String(count));
  };
  expect(() => editFile(path, () => 'mine', write)).toThrow('keeps changing');
  expect(readFileSync(path, 'utf8')).toBe(String(count));
  expect(readdirSync(folder)).toEqual(['a.json']);
});

test('an error in the edit leaves nothing behind', () => {
  const path = join(folder, 'a.json');
  writeFileSync(path, 'old');
  const fail = () => {
    throw new Error('no');
  };
  expect(() => editFile(path, fail)).toThrow('no');
  expect(readdirSync(folder)).toEqual(['a.json']);
});

test('what is not UTF-8 is refused, and a byte order mark is kept', () => {
  const path = join(folder, 'a.json');
  writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]));
  expect(() => editFile(path, () => '')).toThrow('is not UTF-8');
  writeFileSync(path, '\uFEFF{}');
  expect(readText(path)).toBe('\uFEFF{}');
});

test('a folder in the place of the file is an error that names it', () => {
  expect(() => editFile(folder, () => '')).toThrow(`Cannot read ${folder}`);
});
