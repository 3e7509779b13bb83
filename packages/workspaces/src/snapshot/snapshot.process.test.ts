import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { TestRepository } from '../testing/repository.ts';
import { sessionChanges } from '../turn/session-changes.ts';
import { createCheckpoint, listCheckpoints } from './checkpoints.ts';
import { differences, patchOf } from './differences.ts';
import { expireCheckpoints } from './expire-checkpoints.ts';
import { restore } from './restore.ts';
import { takeSnapshot } from './snapshot.ts';

const changed = (all: Awaited<ReturnType<typeof differences>>) =>
  all.files.map(({ path, kind, additions, deletions }) => [path, kind, additions, deletions]);

test('a snapshot has tracked and new files, and no ignored ones', async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'secret\n' });
  const repository = await user.private();
  const start = await takeSnapshot(repository);
  expect(start.tree).toBe(user.run('rev-parse', 'HEAD^{tree}'));
  user.write({ 'a.txt': 'a\nmore\n', 'new file': 'n\n', secret: 's' });
  rmSync(join(user.root, 'b.txt'));
  const now = await takeSnapshot(repository);
  expect(changed(await differences(repository, [start.tree, now.tree]))).toEqual([
    ['a.txt', 'modified', 1, 0],
    ['b.txt', 'deleted', 0, 1],
    ['new file', 'added', 1, 0],
  ]);
  expect(
    await patchOf(repository, [start.tree, now.tree], { files: [{ path: 'a.txt' }] }),
  ).toContain('@@ -1 +1,2 @@\n a\n+more\n');
});

test("the user's index, HEAD, refs, stash and configuration stay as they are", async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n' });
  user.write({ 'staged.txt': 's\n' });
  user.run('add', 'staged.txt');
  const files = ['index', 'HEAD', 'config'].map((name) => join(user.root, '.git', name));
  const before = files.map((file) => readFileSync(file, 'hex'));
  const refs = user.run('for-each-ref');
  const repository = await user.private();
  const start = await createCheckpoint(repository, { kind: 'start' });
  user.write({ 'a.txt': 'other\n' });
  await restore(repository, { tree: start.tree });
  expect(readFileSync(join(user.root, 'a.txt'), 'utf8')).toBe('a\n');
  expect(files.map((file) => readFileSync(file, 'hex'))).toEqual(before);
  expect(user.run('for-each-ref')).toBe(refs);
  expect(user.run('status', '--porcelain')).toBe('A  staged.txt');
});

test('undo brings back content, modes, links and deleted files, and can be undone', async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n', 'run.sh': '#!/bin/sh\n', 'dir/x': 'x\n' });
  symlinkSync('a.txt', join(user.root, 'link'));
  const repository = await user.private();
  const start = await createCheckpoint(repository, { kind: 'start' });
  user.write({ 'a.txt': 'b\n', 'new/deep/file': 'n\n' });
  chmodSync(join(user.root, 'run.sh'), 0o755);
  rmSync(join(user.root, 'dir'), { recursive: true });
  rmSync(join(user.root, 'link'));
  user.write({ dir: 'now a file\n' });
  const { before, changes } = await restore(repository, { tree: start.tree });
  expect(changes.total).toBe(6);
  expect((await takeSnapshot(repository)).tree).toBe(start.tree);
  expect(readFileSync(join(user.root, 'link'), 'utf8')).toBe('a\n');
  await restore(repository, { tree: before.tree });
  expect(readFileSync(join(user.root, 'dir'), 'utf8')).toBe('now a file\n');
  expect((await takeSnapshot(repository)).tree).toBe(before.tree);
  expect((await listCheckpoints(repository)).map(({ kind }) => kind)).toEqual([
    'start',
    'undo',
    'undo',
  ]);
});

test('undo leaves a file private that only its owner may read', async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n', 'run.sh': '#!/bin/sh\n' });
  const path = (name: string) => join(user.root, name);
  user.write({ '.env': 'KEY=1\n' });
  chmodSync(path('.env'), 0o600);
  chmodSync(path('run.sh'), 0o700);
  const repository = await user.private();
  const start = await createCheckpoint(repository, { kind: 'start' });
  user.write({ '.env': 'KEY=2\n', 'run.sh': '#!/bin/bash\n', 'a.txt': 'b\n' });
  await restore(repository, { tree: start.tree });
  const modeOf = (name: string) => statSync(path(name)).mode & 0o777;
  expect([modeOf('.env'), modeOf('run.sh'), modeOf('a.txt')]).toEqual([0o600, 0o700, 0o644]);
});

test('undo of one file leaves the others', async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const repository = await user.private();
  const start = await createCheckpoint(repository, { kind: 'start' });
  user.write({ 'a.txt': 'A\n', 'b.txt': 'B\n', 'c/new': 'c\n' });
  await restore(repository, { tree: start.tree, paths: ['a.txt', 'c'] });
  expect(readFileSync(join(user.root, 'a.txt'), 'utf8')).toBe('a\n');
  expect(readFileSync(join(user.root, 'b.txt'), 'utf8')).toBe('B\n');
  expect(() => readFileSync(join(user.root, 'c/new'))).toThrow();
});

test('undo keeps an ignored file that is in its way in the checkpoint before it', async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n' });
  user.write({ 'notes.txt': 'of the agent\n' });
  const repository = await user.private();
  const start = await createCheckpoint(repository, { kind: 'start' });
  rmSync(join(user.root, 'notes.txt'));
  await takeSnapshot(repository);
  user.write({ '.gitignore': 'notes.txt\n', 'notes.txt': 'of the user\n' });
  const { before } = await restore(repository, { tree: start.tree });
  expect(readFileSync(join(user.root, 'notes.txt'), 'utf8')).toBe('of the agent\n');
  await restore(repository, { tree: before.tree });
  expect(readFileSync(join(user.root, 'notes.txt'), 'utf8')).toBe('of the user\n');
});

test("checkpoints survive the user's gc, deleted branches and reset index", async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n' });
  user.run('checkout', '-q', '-b', 'doomed');
  user.commit({ 'doomed.txt': 'only here\n' });
  const repository = await user.private();
  await createCheckpoint(repository, { kind: 'start' });
  user.write({ 'staged.txt': 'staged, then forgotten\n' });
  user.run('add', 'staged.txt');
  const after = await createCheckpoint(repository, { kind: 'after' });
  user.run('reset', '-q', '--hard', 'main');
  user.run('checkout', '-q', 'main');
  user.run('branch', '-D', 'doomed');
  user.run('reflog', 'expire', '--expire=now', '--all');
  user.run('gc', '-q', '--prune=now');
  await restore(repository, { tree: after.tree });
  expect(readFileSync(join(user.root, 'staged.txt'), 'utf8')).toBe('staged, then forgotten\n');
  expect(readFileSync(join(user.root, 'doomed.txt'), 'utf8')).toBe('only here\n');
  expect(user.runIn(repository.common, '--git-dir=.', 'fsck', '--full')).not.toMatch(
    /missing|broken/,
  );
});

test('a folder without Git gets the same views', async () => {
  const user = new TestRepository({ isGit: false });
  user.write({ 'a.txt': 'a\n', 'node_modules/x/index.js': 'x' });
  const repository = await user.private();
  const start = await createCheckpoint(repository, { kind: 'start' });
  user.write({ 'a.txt': 'b\n' });
  const now = await takeSnapshot(repository);
  expect(changed(await differences(repository, [start.tree, now.tree]))).toEqual([
    ['a.txt', 'modified', 1, 1],
  ]);
  await restore(repository, { tree: start.tree });
  expect(readFileSync(join(user.root, 'a.txt'), 'utf8')).toBe('a\n');
});

test('a nested repository and files beyond the limits are named as gaps', async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n' });
  mkdirSync(join(user.root, 'nested'));
  user.runIn(join(user.root, 'nested'), 'init', '-q');
  user.write({ 'nested/x': 'x', 'big.bin': 'x'.repeat(2000), f1: '1', f2: '2', f3: '3' });
  const repository = await user.private();
  const limits = { maxFiles: 3, maxFileBytes: 1000, maxBytes: 10_000 };
  const { gaps } = await takeSnapshot(repository, { limits });
  expect(gaps.map(({ kind, count }) => [kind, count])).toEqual([
    ['too_large', 1],
    ['too_many', 2],
  ]);
  const all = await takeSnapshot(repository);
  expect(all.gaps).toEqual([{ kind: 'nested', paths: ['nested/'], count: 1 }]);
});

test.each([
  ['number', { maxFiles: 3, maxFileBytes: 1000, maxBytes: 10_000 }, 'too_many'],
  ['size', { maxFiles: 100, maxFileBytes: 1000, maxBytes: 300 }, 'too_large'],
])('files beyond a limit of their %s are no change later', async (_name, limits, kind) => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n' });
  const content = 'x'.repeat(100);
  user.write({ f1: content, f2: content, f3: content, f4: content, f5: content });
  const repository = await user.private();
  const start = await takeSnapshot(repository, { limits });
  expect(start.gaps).toMatchObject([{ kind, count: 2 }]);
  user.write({ 'a.txt': 'b\n', f1: 'edited' });
  const later = await takeSnapshot(repository, { limits });
  expect(changed(await differences(repository, [start.tree, later.tree]))).toEqual([
    ['a.txt', 'modified', 1, 1],
    ['f1', 'modified', 1, 1],
  ]);
  // Once the others are ignored, new files are part of snapshots again.
  user.write({ '.gitignore': 'f*\n', new: 'n\n' });
  const { tree, gaps } = await takeSnapshot(repository, { limits });
  expect(gaps).toEqual([]);
  const { files } = await differences(repository, [later.tree, tree]);
  expect(files.map(({ path }) => path)).toEqual(['.gitignore', 'new']);
});

test('a submodule whose files are there is named as a gap, and its commit is compared', async () => {
  const user = new TestRepository();
  const part = new TestRepository({ name: 'part' });
  part.commit({ p: 'p\n' });
  user.commit({ 'a.txt': 'a\n' });
  user.run('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', part.root, 'part');
  user.commit({});
  const repository = await user.private();
  const start = await takeSnapshot(repository);
  expect(start.gaps).toEqual([{ kind: 'nested', paths: ['part/'], count: 1 }]);
  user.write({ 'part/p': 'edited\n' });
  expect((await takeSnapshot(repository)).tree).toBe(start.tree);
  user.runIn(join(user.root, 'part'), 'commit', '-q', '-a', '-m', 'work');
  const { tree } = await takeSnapshot(repository);
  const { files } = await differences(repository, [start.tree, tree]);
  expect(files).toMatchObject([{ path: 'part', kind: 'modified', entry: 'submodule' }]);
  user.run('submodule', '--quiet', 'deinit', '--force', 'part');
  expect((await takeSnapshot(repository)).gaps).toEqual([]);
});

test('files of LFS in place are no change against the base, also if they are too large', async () => {
  const user = new TestRepository();
  const pointer = (content: Uint8Array) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;
  const [small, large] = [Buffer.alloc(2000, 's'), Buffer.alloc(51 * 1024 * 1024)];
  user.write({ small: pointer(small), large: pointer(large) }, user.folder);
  user.run('config', 'filter.lfs.clean', `cat '${user.folder}'/$(basename %f .bin)`);
  const files = { '.gitattributes': '*.bin filter=lfs\n', 'small.bin': small, 'large.bin': large };
  const baseCommit = user.commit(files);
  expect(user.run('cat-file', '-s', 'HEAD:large.bin').length).toBeLessThan(4);
  const repository = await user.private();
  const sessionId = 's';
  const { tree } = await createCheckpoint(repository, { kind: 'start', sessionId });
  const base = { compare: 'base', sessionId, baseCommit } as const;
  expect(await sessionChanges(repository, base)).toMatchObject({ total: 0 });
  user.write({ 'small.bin': 'of the agent' });
  const found = await sessionChanges(repository, base);
  expect(found.files).toMatchObject([{ path: 'small.bin', kind: 'modified' }]);
  await restore(repository, { tree });
  expect(readFileSync(join(user.root, 'small.bin'))).toEqual(small);
});

test('expired checkpoints are deleted, and the newest one stays', async () => {
  const user = new TestRepository();
  user.commit({ 'a.txt': 'a\n' });
  const repository = await user.private();
  await createCheckpoint(repository, { kind: 'start' });
  user.write({ 'a.txt': 'b\n' });
  await createCheckpoint(repository, { kind: 'after' });
  const expire = (before: number) =>
    expireCheckpoints({ stateFolder: user.state, git: user.git, before });
  expect(await expire(Date.now() - 60_000)).toBe(0);
  expect(await expire(Date.now() + 60_000)).toBe(1);
  expect((await listCheckpoints(repository)).map(({ number }) => number)).toEqual([2]);
  // Numbers are never used again.
  expect((await createCheckpoint(repository, { kind: 'before' })).number).toBe(3);
});

test('a folder without Git and with too many files is refused before Git reads it', async () => {
  const user = new TestRepository({ isGit: false });
  user.write({ a: '', b: '', 'c/d': '', 'node_modules/e': '', 'node_modules/f': '' });
  const repository = await user.private();
  const limits = { maxFiles: 3, maxFileBytes: 1000, maxBytes: 1000 };
  await takeSnapshot(repository, { limits });
  user.write({ g: '' });
  const refused = takeSnapshot(repository, { limits });
  await expect(refused).rejects.toMatchObject({ code: 'too_large' });
});

test('unchanged files need no new tree, and the note about it is trusted only for its index', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a', b: 'b' });
  const own = await user.private();
  const { tree: first } = await takeSnapshot(own);
  const run = vi.spyOn(own.git, 'run');
  const commands = () => run.mock.calls.splice(0).map(([[name]]) => name);
  expect((await takeSnapshot(own)).tree).toBe(first);
  expect(commands().sort()).toEqual(['diff-files', 'ls-files']);
  user.write({ a: 'edited' });
  const { tree: second } = await takeSnapshot(own);
  expect(second).not.toBe(first);
  user.write({ a: 'a' });
  expect((await takeSnapshot(own)).tree).toBe(first);
  // The index of another program, with the note of this one.
  writeFileSync(own.index, readFileSync(own.index));
  commands();
  expect((await takeSnapshot(own)).tree).toBe(first);
  expect(commands()).toContain('write-tree');
});

test('a file that is tracked although it is ignored is part of a snapshot, whenever it was added', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a', '.gitignore': '*.log\n' });
  const own = await user.private();
  await takeSnapshot(own);
  user.write({ 'kept.log': 'k\n', 'other.log': 'o\n' });
  user.run('add', '-f', 'kept.log');
  user.run('commit', '-q', '-m', 'kept');
  const { tree } = await takeSnapshot(own);
  expect(tree).toBe(user.run('rev-parse', 'HEAD^{tree}'));
  user.write({ 'kept.log': 'edited\n' });
  const now = await takeSnapshot(own);
  expect(changed(await differences(own, [tree, now.tree]))).toEqual([
    ['kept.log', 'modified', 1, 1],
  ]);
});

test('an index that only Git can read, such as a split one, stops no snapshot', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a' });
  const own = await user.private();
  user.run('update-index', '--split-index');
  user.commit({ b: 'b' });
  expect((await takeSnapshot(own)).tree).toBe(user.run('rev-parse', 'HEAD^{tree}'));
});

test('of very many differences the first are listed, and all are counted', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a' });
  const blob = user.feed('one\ntwo\n', 'hash-object', '-w', '--stdin');
  const names = [
    '\n',
    ' new\nline',
    ':100644 x',
    ...Array.from({ length: 997 }, (_, n) => `n${n}`),
  ];
  const entries = names.map((name) => `100644 blob ${blob}\t${name}\0`).join('');
  const folder = user.feed(entries, 'mktree', '-z');
  const folders = Array.from({ length: 200 }, (_, n) => `040000 tree ${folder}\tf${n}\0`).join('');
  const [many, none] = [user.feed(folders, 'mktree', '-z'), user.feed('', 'mktree')];
  const own = await user.private();
  const found = await differences(own, [many, none]);
  expect(found).toMatchObject({ total: 200_000, additions: 0, deletions: 400_000 });
  expect(found.files).toHaveLength(5000);
  expect(changed(found).slice(0, 3)).toEqual([
    ['f0/\n', 'deleted', 0, 2],
    ['f0/ new\nline', 'deleted', 0, 2],
    ['f0/:100644 x', 'deleted', 0, 2],
  ]);
  const all = await differences(own, [none, many], { maxFiles: Number.POSITIVE_INFINITY });
  expect(all.files).toHaveLength(200_000);
  expect(all.files.every(({ additions }) => additions === 2)).toBe(true);
});

test('renamed files have their counts, also between names that look like others', async () => {
  const user = new TestRepository();
  user.commit({ 'old R': '1\n2\n3\n4\n', ' R': 'x\n', '3\t4\t': 'x\n' });
  const own = await user.private();
  const { tree } = await takeSnapshot(own);
  user.run('mv', 'old R', '1\t2\tnew');
  user.write({ '1\t2\tnew': '1\n2\n3\n4\n5\n', ' R': 'y\n', '3\t4\t': 'y\n' });
  const found = await differences(own, [tree, (await takeSnapshot(own)).tree]);
  expect(changed(found)).toEqual([
    [' R', 'modified', 1, 1],
    ['1\t2\tnew', 'renamed', 1, 0],
    ['3\t4\t', 'modified', 1, 1],
  ]);
  expect(found.files[1]?.old_path).toBe('old R');
});
