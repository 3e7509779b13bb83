import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFileInside } from './read-inside.ts';

let root: string;
let folder: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'read-inside-')));
  folder = join(root, 'project');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(folder, 'sub/own.md'), 'own');
  writeFileSync(join(root, 'secret'), 'secret');
});
afterEach(() => rmSync(root, { recursive: true }));

const ELSEWHERE = /is not in the folder/;

test('reads a file of the folder, also through links that stay in it', () => {
  symlinkSync('own.md', join(folder, 'sub/link.md'));
  symlinkSync(join(folder, 'sub'), join(folder, 'linked'));
  symlinkSync(folder, join(root, 'other-name'));
  for (const path of ['sub/own.md', 'sub/link.md', 'linked/own.md', 'sub/../sub/own.md']) {
    expect(String(readFileInside(folder, join(folder, path)))).toBe('own');
  }
  expect(String(readFileInside(join(root, 'other-name'), join(folder, 'sub/own.md')))).toBe('own');
});

test('refuses what is elsewhere, whether or not it exists', () => {
  symlinkSync(join(root, 'secret'), join(folder, 'link'));
  symlinkSync('../../secret', join(folder, 'sub/relative'));
  symlinkSync(root, join(folder, 'up'));
  symlinkSync(join(folder, 'up/secret'), join(folder, 'two-links'));
  symlinkSync(join(root, 'nothing'), join(folder, 'dangling'));
  symlinkSync('circle', join(folder, 'circle'));
  const paths = [
    ...[join(root, 'secret'), join(root, 'nothing'), '/etc/passwd', `${folder}/../secret`],
    ...['link', 'sub/relative', 'up/secret', 'two-links', 'dangling', 'circle', 'sub/../../secret'],
    ...['up/nothing', 'own\0.md', '..'],
  ];
  for (const path of paths) {
    const full = path.startsWith('/') ? path : `${folder}/${path}`;
    expect(() => readFileInside(folder, full), path).toThrow(ELSEWHERE);
  }
  expect(() => readFileInside(`${folder}-2`, join(folder, 'sub/own.md'))).toThrow(ELSEWHERE);
});

test('reads nothing that describes a process, even for the root folder', () => {
  for (const path of ['/proc/self/environ', '/proc/1/status', '/sys/kernel/notes']) {
    expect(() => readFileInside('/', path), path).toThrow(ELSEWHERE);
  }
  symlinkSync('/proc/self/environ', join(folder, 'environ'));
  expect(() => readFileInside('/', join(folder, 'environ'))).toThrow(ELSEWHERE);
});

test('refuses folders, sockets and devices without opening them', async () => {
  const server = createServer().listen(join(folder, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  for (const path of [folder, join(folder, 'sub'), join(folder, 'socket')]) {
    expect(() => readFileInside(folder, path), path).toThrow('it is not a file');
  }
  expect(() => readFileInside('/dev', '/dev/zero')).toThrow('it is not a file');
  server.close();
});

test('refuses what is hidden, and what lies in it', () => {
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/master.key'), 'key');
  symlinkSync('data', join(folder, 'alias'));
  for (const hidden of [join(folder, 'data'), join(folder, 'data/master.key')]) {
    for (const path of ['data/master.key', 'alias/master.key']) {
      expect(() => readFileInside(folder, join(folder, path), { hidden: [hidden] })).toThrow(
        ELSEWHERE,
      );
    }
  }
});

test('refuses what another account could not read, in every folder above', () => {
  const { uid, gid } = statSync(folder);
  const path = join(folder, 'sub/own.md');
  const read = (reader: { uid: number; gid: number }) => () =>
    readFileInside(root, path, { reader });
  const [owner, group, other] = [
    { uid, gid: 1 },
    { uid: uid + 7, gid },
    { uid: uid + 7, gid: gid + 7 },
  ] as const;
  chmodSync(root, 0o755);
  chmodSync(folder, 0o755);
  for (const [mode, allowed, refused] of [
    [0o400, [owner], [group, other]],
    [0o040, [group], [owner, other]],
    [0o004, [other], [owner, group]],
  ] as const) {
    chmodSync(path, mode);
    for (const each of allowed) expect(String(read(each)())).toBe('own');
    for (const each of refused) expect(read(each)).toThrow('may not read it');
  }
  chmodSync(folder, 0o750);
  expect(read(other)).toThrow('may not read it');
  chmodSync(folder, 0o751);
  expect(String(read(other)())).toBe('own');
});

test('refuses a file of more than 16 MB', () => {
  const path = join(folder, 'large');
  writeFileSync(path, '');
  truncateSync(path, 16 * 1024 * 1024 + 1);
  expect(() => readFileInside(folder, path)).toThrow('it is larger than 16 MB');
});

/** Lets a path be a link to one file and to another in turn, as fast as possible. */
const SWAP = `
  const { renameSync, symlinkSync } = require('node:fs');
  const { parentPort, workerData: { link, targets } } = require('node:worker_threads');
  for (let round = 0; ; round += 1) {
    symlinkSync(targets[round % 2], link + '.new');
    renameSync(link + '.new', link);
    if (round === 0) parentPort.postMessage('ready');
  }
`;

test('never reads another file when a link changes after the check', async () => {
  const link = join(folder, 'link');
  const targets = [join(folder, 'sub/own.md'), join(root, 'secret')];
  const worker = new Worker(SWAP, { eval: true, workerData: { link, targets } });
  try {
    await new Promise((resolve) => worker.once('message', resolve));
    const read = new Set<string>();
    for (let round = 0; round < 5000; round += 1) {
      try {
        read.add(String(readFileInside(folder, link)));
      } catch (error) {
        expect(String(error)).toMatch(ELSEWHERE);
      }
    }
    expect(read).toEqual(new Set(['own']));
  } finally {
    await worker.terminate();
  }
});
