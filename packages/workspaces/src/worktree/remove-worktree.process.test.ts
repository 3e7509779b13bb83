import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestWorld } from '../testing/world.ts';
import { FolderSessions } from './folder-sessions.ts';
import {
  expireRemoved,
  RESTORE_MS,
  removalCheck,
  removeWorktree,
  restoreWorktree,
} from './remove-worktree.ts';
import { cleanPlan } from './workspace-status.ts';

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

async function world() {
  const user = new TestWorld();
  user.commit({ a: 'a\n', 'dir/b': 'b\n', '.gitignore': 'ignored\n' });
  const { record } = await user.create({ name: 'fix' });
  const { git, files } = user;
  const id = record.workspace_id;
  return {
    user,
    record,
    tools: { git, files },
    id,
    in: (...args: string[]) => user.runIn(record.path, ...args),
    remove: (more = {}) => removeWorktree({ git, files, id, ...more }),
    restore: () => restoreWorktree({ git, files, id }),
  };
}

test('removes a worktree without work of its own, and its branch', async () => {
  const { user, record, remove, tools, id } = await world();
  const before = user.untouched();
  const check = await removalCheck(tools, id);
  expect(check.losses).toEqual([]);
  expect(check.bytes).toBeGreaterThan(0);
  expect(await remove()).toMatchObject({ state: 'removed', removed: { checkpoint: 1 } });
  expect(existsSync(record.path)).toBe(false);
  expect(user.run('worktree', 'list').split('\n')).toHaveLength(1);
  expect(user.run('branch', '--list', 'baton/*')).toBe('');
  expect(user.untouched()).toEqual(before);
  expect(user.problems()).toEqual([]);
});

test('refuses to remove uncommitted and unpushed work and names it', async () => {
  const { user, record, remove, in: git, tools, id } = await world();
  user.write({ a: 'edited\n', new: 'n\n', ignored: 'i\n' }, record.path);
  await expect(remove()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('2 files with uncommitted changes'),
  });
  git('add', '-A');
  git('commit', '-q', '-m', 'work');
  await expect(remove()).rejects.toThrow('1 commit on baton/fix that no other branch');
  user.run('update-ref', 'refs/remotes/origin/fix', 'refs/heads/baton/fix');
  expect((await removalCheck(tools, id)).losses).toMatchObject([{ kind: 'ignored' }]);
  rmSync(join(record.path, 'ignored'));
  expect((await removalCheck(tools, id)).losses).toEqual([]);
  const leave = new FolderSessions(user.files).enter(record.path, 's');
  await expect(remove()).rejects.toThrow('A session that has not ended');
  leave();
  expect(existsSync(record.path)).toBe(true);
});

test('names ignored files that exist nowhere else, and brings them back', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a', '.gitignore': '.env*\nlocal.db\nnode_modules\n*.log\ncache/\n' });
  user.write({ '.env': 'copied', '.env.changed': 'before' });
  const { record } = await user.create();
  const { git, files } = user;
  const id = record.workspace_id;
  user.write(
    {
      ...{ '.env': 'copied', '.env.changed': 'after', 'sub/.env': 'own', 'local.db': 'db' },
      ...{ 'node_modules/x/index.js': 'x', 'sub/cache/y': 'y', 'agent.log': 'log' },
    },
    record.path,
  );
  chmodSync(join(record.path, 'sub/.env'), 0o600);
  const [loss, ...others] = (await removalCheck(user, id)).losses;
  expect(others).toEqual([]);
  expect(loss).toEqual({
    kind: 'ignored',
    count: 3,
    text: '3 ignored files of its own: .env.changed, local.db, sub/.env',
  });
  expect((await cleanPlan(user)).remove).toEqual([]);
  await expect(removeWorktree({ git, files, id })).rejects.toThrow('local.db');
  await removeWorktree({ git, files, id, force: true });
  await restoreWorktree({ git, files, id });
  const read = (name: string) => readFileSync(join(record.path, name), 'utf8');
  expect(['.env', '.env.changed', 'sub/.env', 'local.db'].map(read)).toEqual([
    ...['copied', 'after', 'own', 'db'],
  ]);
  expect(lstatSync(join(record.path, 'sub/.env')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(record.path, 'node_modules'))).toBe(false);
  expect(user.runIn(record.path, 'status', '--porcelain')).toBe('');
  expect((await removalCheck(user, id)).losses).toMatchObject([{ kind: 'ignored', count: 3 }]);
});

test('an ignored file that cannot be kept is named as one', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a', '.gitignore': 'large.db\n' });
  const { record } = await user.create();
  user.write({ 'large.db': new Uint8Array(11 * 1024 * 1024) }, record.path);
  const { losses } = await removalCheck(user, record.workspace_id);
  expect(losses).toMatchObject([
    { kind: 'gaps', text: '1 ignored file that cannot be kept: large.db' },
  ]);
});

test('restores commits, staged changes, files and the branch after the gc of the user', async () => {
  const { user, record, remove, restore, in: git } = await world();
  user.write({ work: 'committed\n' }, record.path);
  git('add', '-A');
  git('commit', '-q', '-m', 'work');
  const tip = git('rev-parse', 'HEAD');
  user.write({ staged: 'first version\n' }, record.path);
  git('add', 'staged');
  user.write({ staged: 'second version\n', a: 'edited\n', 'new/x': 'x\n' }, record.path);
  rmSync(join(record.path, 'dir'), { recursive: true });
  const status = git('status', '--porcelain');
  await remove({ force: true, deleteBranch: true });
  expect(user.run('branch', '--list', 'baton/*')).toBe('');
  user.run('reflog', 'expire', '--expire=now', '--all');
  user.run('gc', '-q', '--prune=now');
  expect(() => user.run('cat-file', '-e', tip)).toThrow();
  expect(await restore()).toMatchObject({ state: 'idle', removed: null });
  expect(git('rev-parse', 'HEAD')).toBe(tip);
  expect(git('branch', '--show-current')).toBe('baton/fix');
  expect(git('status', '--porcelain')).toBe(status);
  expect(git('show', ':staged')).toBe('first version');
  expect(read(record.path, 'staged')).toBe('second version\n');
  expect(read(record.path, 'new/x')).toBe('x\n');
  expect(user.problems()).toEqual([]);
});

test('keeps the branch of unpushed commits unless asked to delete it', async () => {
  const { user, remove, restore, in: git, record } = await world();
  git('commit', '-q', '--allow-empty', '-m', 'work');
  await remove({ force: true });
  expect(user.run('branch', '--list', 'baton/*').trim()).toBe('baton/fix');
  user.run('checkout', '-q', 'baton/fix');
  await expect(restore()).rejects.toMatchObject({ code: 'conflict' });
  user.run('checkout', '-q', 'main');
  await restore();
  expect(git('branch', '--show-current')).toBe('baton/fix');
  expect(git('status', '--porcelain')).toBe('');
  expect(record.path).toBe(user.files.get(record.workspace_id).path);
});

test('restores a detached HEAD with commits that no branch has', async () => {
  const { user, remove, restore, in: git } = await world();
  git('checkout', '-q', '--detach');
  git('commit', '-q', '--allow-empty', '-m', 'nowhere else');
  const tip = git('rev-parse', 'HEAD');
  await expect(remove()).rejects.toThrow('1 commit');
  await remove({ force: true, deleteBranch: true });
  user.run('reflog', 'expire', '--expire=now', '--all');
  user.run('gc', '-q', '--prune=now');
  await restore();
  expect(git('rev-parse', 'HEAD')).toBe(tip);
  expect(user.problems()).toEqual([]);
});

test('deletes links and does not follow them, and deletes unreadable folders', async () => {
  const { user, record, remove } = await world();
  const outside = join(user.folder, 'outside');
  mkdirSync(outside);
  user.write({ precious: 'p' }, outside);
  symlinkSync(outside, join(record.path, 'link'));
  mkdirSync(join(record.path, 'closed'));
  user.write({ 'closed/x': 'x' }, record.path);
  chmodSync(join(record.path, 'closed'), 0o000);
  await remove({ force: true });
  expect(existsSync(record.path)).toBe(false);
  expect(readdirSync(outside)).toEqual(['precious']);
});

test('names files that no checkpoint can keep before they are removed', async () => {
  const { user, record, remove, tools, id } = await world();
  mkdirSync(join(record.path, 'nested'));
  user.runIn(join(record.path, 'nested'), 'init', '-q');
  user.write({ 'nested/x': 'x' }, record.path);
  user.runIn(join(record.path, 'nested'), 'add', '-A');
  user.runIn(join(record.path, 'nested'), 'commit', '-q', '-m', 'x');
  expect((await removalCheck(tools, id)).losses.map(({ kind }) => kind)).toContain('gaps');
  await expect(remove()).rejects.toThrow('nested/');
});

test('refuses to remove work in a submodule, and removes one without work', async () => {
  const user = new TestWorld();
  const part = new TestWorld({ name: 'part' });
  part.commit({ p: 'p\n' });
  user.commit({ a: 'a\n' });
  const allowed = ['-c', 'protocol.file.allow=always'];
  user.run(...allowed, 'submodule', 'add', '-q', part.root, 'part');
  user.commit({});
  const { record } = await user.create();
  const { git, files } = user;
  const id = record.workspace_id;
  const inPart = (...args: string[]) => user.runIn(join(record.path, 'part'), ...args);
  const losses = async () => (await removalCheck({ git, files }, id)).losses;
  user.runIn(record.path, ...allowed, 'submodule', '--quiet', 'update', '--init');
  expect(await losses()).toEqual([]);
  user.write({ 'part/new': 'n\n' }, record.path);
  await expect(removeWorktree({ git, files, id })).rejects.toThrow('part/');
  inPart('add', '-A');
  expect(await losses()).toMatchObject([{ kind: 'gaps' }]);
  inPart('stash', '-q');
  expect(await losses()).toMatchObject([{ kind: 'gaps' }]);
  inPart('stash', 'pop', '-q');
  inPart('checkout', '-q', '-b', 'own');
  inPart('commit', '-q', '-m', 'work');
  inPart('checkout', '-q', '--detach', 'origin/main');
  expect(await losses()).toMatchObject([{ kind: 'gaps' }]);
  inPart(...allowed, 'push', '-q', 'origin', 'own');
  expect(await losses()).toEqual([]);
  await removeWorktree({ git, files, id });
  expect(existsSync(record.path)).toBe(false);
});

test('deletes a removed workspace when its time is over, and not before', async () => {
  const { user, remove, restore, tools, id, record } = await world();
  await remove();
  expect(await expireRemoved(tools)).toEqual([]);
  expect((await user.create({ name: 'fix' })).record.branch).toBe('baton/fix-2');
  expect(await expireRemoved(tools, Date.now() + RESTORE_MS + 1000)).toEqual([id]);
  await expect(restore()).rejects.toMatchObject({ code: 'not_found' });
  expect((await user.create({ name: 'fix' })).record.path).toBe(record.path);
  const state = join(user.state, 'repositories');
  const [common = ''] = readdirSync(state);
  expect(user.runIn(join(state, common), '--git-dir=.', 'for-each-ref')).toBe('');
});

test('does not restore over a folder of the user', async () => {
  const { user, record, remove, restore } = await world();
  await remove();
  user.write({ mine: 'm' }, record.path);
  await expect(restore()).rejects.toMatchObject({ code: 'conflict' });
  expect(lstatSync(join(record.path, 'mine')).isFile()).toBe(true);
});
