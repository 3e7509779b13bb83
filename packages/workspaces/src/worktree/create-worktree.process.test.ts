import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { SmallDisk } from '../testing/small-disk.ts';
import { TestWorld } from '../testing/world.ts';
import { createWorktrees } from './create-worktree.ts';

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

/** Nothing of a failed creation is left. */
function expectNothingLeft(user: TestWorld) {
  expect(user.files.list()).toEqual([]);
  expect(existsSync(user.worktrees) ? readdirSync(user.worktrees) : []).toEqual([]);
  expect(existsSync(join(user.root, '.git/worktrees'))).toBe(false);
  expect(user.run('branch', '--list', 'baton/*')).toBe('');
  expect(user.problems()).toEqual([]);
}

test('makes a clean worktree on a new branch and leaves the repository as it is', async () => {
  const user = new TestWorld();
  const head = user.commit({ 'a.txt': 'a\n', 'dir/b.txt': 'b\n', 'ünï cödé/x y.txt': 'x\n' });
  user.write({ 'a.txt': 'changed\n' });
  const before = user.untouched();
  const steps: string[] = [];
  const { record, notices } = await user.create({
    name: 'Fix the login',
    onStep: (step) => steps.push(step),
  });
  expect(steps).toEqual(['recorded', 'registered', 'populated', 'ready']);
  expect(record).toMatchObject({
    state: 'ready',
    repository: user.root,
    path: join(user.worktrees, 'app/fix-the-login'),
    cwd: join(user.worktrees, 'app/fix-the-login'),
    branch: 'baton/fix-the-login',
    base_ref: 'main',
    base_commit: head,
  });
  expect(notices).toEqual([]);
  expect(user.files.get(record.workspace_id)).toEqual(JSON.parse(JSON.stringify(record)));
  expect(read(record.path, 'a.txt')).toBe('a\n');
  expect(read(record.path, 'ünï cödé/x y.txt')).toBe('x\n');
  expect(user.runIn(record.path, 'status', '--porcelain')).toBe('');
  expect(user.runIn(record.path, 'diff-files')).toBe('');
  expect(user.runIn(record.path, 'branch', '--show-current')).toBe('baton/fix-the-login');
  expect(user.untouched()).toEqual(before);
  expect(user.problems()).toEqual([]);
});

test('starts the agent in the same folder of the worktree', async () => {
  const user = new TestWorld();
  user.commit({ 'packages/a/x': 'x' });
  mkdirSync(join(user.root, 'packages/new'));
  const { record } = await user.create({ source: join(user.root, 'packages/a') });
  expect(record.cwd).toBe(join(record.path, 'packages/a'));
  const other = await user.create({ source: join(user.root, 'packages/new') });
  expect(other.record.cwd).toBe(other.record.path);
  expect(other.notices).toMatchObject([{ kind: 'cwd_missing' }]);
});

test('chooses names that no branch and no folder has in any case', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  user.run('branch', 'Baton/Fix');
  mkdirSync(join(user.worktrees, 'app/FIX-2'), { recursive: true });
  expect((await user.create({ name: 'fix' })).record.branch).toBe('baton/fix-3');
  const both = await Promise.all([user.create({ name: 'x' }), user.create({ name: 'x' })]);
  expect(both.map(({ record }) => record.branch).sort()).toEqual(['baton/x', 'baton/x-2']);
  user.run('branch', 'agents');
  const { record } = await user.create({ name: 'y', branchTemplate: 'agents/<slug>' });
  expect(record.branch).toBe('agents-y');
});

test('starts from a branch, tag, commit, remote branch or detached HEAD', async () => {
  const user = new TestWorld();
  const first = user.commit({ a: '1' });
  user.run('tag', '-a', 'v1', '-m', 'one');
  user.commit({ a: '2' });
  user.run('branch', 'other');
  user.commit({ a: '3' });
  user.run('update-ref', 'refs/remotes/origin/far', first);
  const content = async (base?: string) => read((await user.create({ base })).record.path, 'a');
  expect(await content('v1')).toBe('1');
  expect(await content('other')).toBe('2');
  expect(await content(first.slice(0, 12))).toBe('1');
  expect(await content('far')).toBe('1');
  user.run('checkout', '-q', '--detach', 'other');
  const { record } = await user.create();
  expect(read(record.path, 'a')).toBe('2');
  expect(record.base_ref).toBe(record.base_commit);
  await expect(user.create({ base: 'missing' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(user.create({ base: '--all' })).rejects.toMatchObject({ code: 'not_found' });
});

test('takes uncommitted changes along as uncommitted changes', async () => {
  const user = new TestWorld();
  const first = user.commit({ a: '1\n', gone: 'g\n', same: 's\n', '.gitignore': 'secret\n' });
  user.commit({ later: 'l\n' });
  user.write({ a: 'edited\n', 'new/file': 'n\n', secret: 's' });
  rmSync(join(user.root, 'gone'));
  const before = user.untouched();
  const { record } = await user.create({ withChanges: true });
  const status = user.runIn(record.path, 'status', '--porcelain');
  expect(status.split('\n').map((line) => line.trim())).toEqual(['M a', 'D gone', '?? new/']);
  expect(existsSync(join(record.path, 'secret'))).toBe(false);
  const older = await user.create({ withChanges: true, base: first });
  expect(read(older.record.path, 'a')).toBe('edited\n');
  expect(existsSync(join(older.record.path, 'later'))).toBe(false);
  expect(user.untouched()).toEqual(before);
  user.run('checkout', '-q', '--orphan', 'clash');
  user.run('checkout', '-q', '-f', 'main');
  user.run('branch', 'clash', first);
  user.run('checkout', '-q', 'clash');
  user.commit({ a: 'clash\n' });
  user.run('checkout', '-q', 'main');
  user.write({ a: 'edited\n' });
  await expect(user.create({ withChanges: true, base: 'clash' })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(': a.'),
  });
});

test('says what to do before the first commit', async () => {
  const user = new TestWorld();
  await expect(user.create()).rejects.toMatchObject({
    code: 'git_failed',
    hint: 'Commit first, or run in place.',
  });
  expect(user.files.list()).toEqual([]);
});

test('says why a folder has no repository', async () => {
  const user = new TestWorld({ isGit: false });
  await expect(user.create()).rejects.toMatchObject({ code: 'git_failed' });
  await expect(user.create({ source: join(user.root, 'gone') })).rejects.toMatchObject({
    code: 'cwd_missing',
  });
});

test('does not follow a .git file that leads to a repository elsewhere', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const trap = join(user.folder, 'trap');
  mkdirSync(trap);
  writeFileSync(join(trap, '.git'), `gitdir: ${user.root}/.git\n`);
  await expect(user.create({ source: trap })).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('does not follow it'),
  });
});

test('works from a bare repository and from a linked worktree', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const bare = join(user.folder, 'central.git');
  user.run('clone', '-q', '--bare', user.root, bare);
  const { record } = await user.create({ source: bare });
  expect(record.repository).toBe(bare);
  expect(record.path).toContain('/central/');
  expect(user.runIn(record.path, 'status', '--porcelain')).toBe('');
  const again = await user.create({ source: record.path });
  expect(again.record.repository).toBe(bare);
  expect(again.record.base_ref).toBe(record.branch);
  user.run('worktree', 'add', '-q', join(user.folder, 'own'), '-b', 'own');
  user.write({ a: 'edited' }, join(user.folder, 'own'));
  const linked = await user.create({ source: join(user.folder, 'own'), withChanges: true });
  expect(linked.record.repository).toBe(user.root);
  expect(read(linked.record.path, 'a')).toBe('edited');
});

test('keeps submodules empty and says so', async () => {
  const user = new TestWorld();
  const part = new TestWorld({ name: 'part' });
  part.commit({ p: 'p' });
  user.commit({ a: 'a' });
  user.run('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', part.root, 'part');
  user.commit({});
  const { record, notices } = await user.create();
  expect(notices).toMatchObject([{ kind: 'submodules' }]);
  expect(readdirSync(join(record.path, 'part'))).toEqual([]);
  expect(user.runIn(record.path, 'status', '--porcelain')).toBe('');
  const inside = await user.create({ source: join(user.root, 'part') });
  expect(read(inside.record.path, 'p')).toBe('p');
});

test('leaves LFS files as pointers and says so', async () => {
  const user = new TestWorld();
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
  user.commit({
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'x.bin': pointer,
  });
  const { record, notices } = await user.create();
  expect(notices).toMatchObject([{ kind: 'lfs' }]);
  expect(read(record.path, 'x.bin')).toBe(pointer);
});

test('has the sparse set of its source', async () => {
  const user = new TestWorld();
  user.commit({ 'in/a': 'a', 'out/b': 'b', root: 'r' });
  await user.create({ name: 'whole' });
  user.run('sparse-checkout', 'set', 'in');
  const { record } = await user.create();
  expect(readdirSync(record.path).sort()).toEqual(['.git', 'in', 'root']);
  expect(user.runIn(record.path, 'status', '--porcelain')).toBe('');
  const own = await user.private(record.path);
  expect((await takeSnapshot(own)).tree).toBe(user.run('rev-parse', 'HEAD^{tree}'));
});

test('works in shallow clones and with sha256', async () => {
  const user = new TestWorld();
  user.commit({ a: '1' });
  user.commit({ a: '2' });
  const shallow = join(user.folder, 'shallow');
  user.run('clone', '-q', '--depth', '1', `file://${user.root}`, shallow);
  user.write({ b: 'b' }, shallow);
  const { record } = await user.create({ source: shallow, withChanges: true });
  expect(read(record.path, 'a')).toBe('2');
  expect(user.runIn(record.path, 'status', '--porcelain')).toBe('?? b');
  const modern = new TestWorld({ args: ['--object-format=sha256'] });
  modern.commit({ a: 'a' });
  const made = await modern.create();
  expect(modern.runIn(made.record.path, 'status', '--porcelain')).toBe('');
});

test('says that files of a partial clone are missing and uses no network', async () => {
  const user = new TestWorld();
  const first = user.commit({ a: 'old\n', b: 'b\n' });
  user.commit({ a: 'new\n' });
  user.run('config', 'uploadpack.allowFilter', 'true');
  const partial = join(user.folder, 'partial');
  user.run('clone', '-q', '--filter=blob:none', `file://${user.root}`, partial);
  const { record } = await user.create({ source: partial });
  expect(read(record.path, 'a')).toBe('new\n');
  await expect(user.create({ source: partial, base: first })).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('partial clone'),
  });
  expect(user.files.list()).toHaveLength(1);
  expect(user.runIn(partial, 'branch', '--list', 'baton/*').split('\n')).toHaveLength(1);
  expect(user.runIn(partial, 'worktree', 'list').split('\n')).toHaveLength(2);
});

test('does not run hooks, also not those that would fail', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  for (const name of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    const hook = join(user.root, '.git/hooks', name);
    writeFileSync(hook, `#!/bin/sh\ntouch ${user.folder}/marker\nexit 1\n`);
    chmodSync(hook, 0o755);
  }
  await user.create();
  expect(existsSync(join(user.folder, 'marker'))).toBe(false);
});

test('leaves out nested repositories and says so', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  mkdirSync(join(user.root, 'nested'));
  user.runIn(join(user.root, 'nested'), 'init', '-q');
  user.write({ 'nested/x': 'x' });
  user.runIn(join(user.root, 'nested'), 'add', 'x');
  user.runIn(join(user.root, 'nested'), 'commit', '-q', '-m', 'x');
  const { record, notices } = await user.create({ withChanges: true });
  expect(notices).toMatchObject([{ kind: 'not_copied' }]);
  expect(existsSync(join(record.path, 'nested'))).toBe(false);
});

test('makes worktrees of several repositories in one folder', async () => {
  const user = new TestWorld({ isGit: false, name: 'all' });
  for (const name of ['api', 'apps/web']) {
    mkdirSync(join(user.root, name), { recursive: true });
    user.runIn(join(user.root, name), 'init', '-q', '-b', 'main');
    user.write({ [`${name}/a`]: name });
    user.runIn(join(user.root, name), 'add', '-A');
    user.runIn(join(user.root, name), 'commit', '-q', '-m', 'a');
  }
  const { git, files, root: source, worktrees: folder } = user;
  // A session has one worktree.
  await expect(user.create()).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('has some in it: api, apps/web.'),
  });
  const made = await createWorktrees({ git, files, source, folder, name: 'fix' });
  expect(made.path).toBe(join(folder, 'all/fix'));
  expect(made.worktrees.map(({ record }) => [record.path, record.branch])).toEqual([
    [join(folder, 'all/fix/api'), 'baton/fix'],
    [join(folder, 'all/fix/apps/web'), 'baton/fix'],
  ]);
  expect(read(made.path, 'apps/web/a')).toBe('apps/web');
  rmSync(join(source, 'apps/web/.git/objects'), { recursive: true });
  mkdirSync(join(source, 'apps/web/.git/objects'));
  await expect(createWorktrees({ git, files, source, folder, name: 'fix' })).rejects.toMatchObject({
    code: 'git_failed',
  });
  expect(files.list()).toHaveLength(2);
  expect(readdirSync(join(folder, 'all'))).toEqual(['fix']);
  expect(user.runIn(join(source, 'api'), 'branch', '--list', 'baton/*').split('\n')).toHaveLength(
    1,
  );
});

test.each(['recorded', 'registered', 'populated'])(
  'leaves nothing if stopped once %s',
  async (at) => {
    const user = new TestWorld();
    user.commit({ a: 'a', 'dir/b': 'b' });
    const before = user.untouched();
    const stop = new AbortController();
    const making = user.create({
      signal: stop.signal,
      onStep: (step) => step === at && stop.abort(),
    });
    await expect(making).rejects.toMatchObject({ code: 'interrupted' });
    expectNothingLeft(user);
    expect(user.untouched()).toEqual(before);
  },
);

test('leaves nothing if the repository is moved or deleted meanwhile', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const away = join(user.folder, 'away');
  const moved = user.create({
    onStep: (step) => step === 'recorded' && renameSync(user.root, away),
  });
  await expect(moved).rejects.toMatchObject({ code: 'cwd_missing' });
  renameSync(away, user.root);
  expectNothingLeft(user);
  const gone = user.create({
    onStep: (step) => step === 'registered' && rmSync(user.root, { recursive: true }),
  });
  await expect(gone).rejects.toThrow();
  expect(existsSync(join(user.worktrees, 'app'))).toBe(false);
});

test('writes a link of the repository as a link and nothing outside of the worktree', async () => {
  const user = new TestWorld();
  mkdirSync(join(user.folder, 'outside'));
  user.commit({ a: 'a' });
  symlinkSync(join(user.folder, 'outside'), join(user.root, 'link'));
  user.commit({});
  const { record } = await user.create({ source: join(user.root) });
  expect(readdirSync(join(user.folder, 'outside'))).toEqual([]);
  expect(record.cwd).toBe(record.path);
});

const isRoot = process.getuid?.() === 0;

test('leaves nothing if the disk is full (needs a small disk)', async (context) => {
  const user = new TestWorld();
  user.commit({ small: 's', 'dir/large.bin': Buffer.alloc(3_000_000, 'x') });
  const { folder } = new SmallDisk(context, join(user.folder, 'disk'), '1m');
  await expect(user.create({ folder })).rejects.toMatchObject({ code: 'no_resources' });
  expect(readdirSync(folder)).toEqual([]);
  expectNothingLeft(user);
});

test.skipIf(!isRoot)('works in a repository of another owner (needs root)', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  for (const path of [user.root, join(user.root, '.git')]) chownSync(path, 65534, 65534);
  const { record } = await user.create();
  expect(read(record.path, 'a')).toBe('a');
});
