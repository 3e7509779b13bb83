import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clean } from '../lifecycle/remove-workspace.ts';
import { TestWorld } from '../testing/world.ts';
import { adoptWorktree } from './adopt-worktree.ts';
import { diskUse } from './disk-use.ts';
import { FolderSessions } from './folder-sessions.ts';
import { removeWorktree } from './remove-worktree.ts';
import { cleanPlan, listWorkspaces, staleWorkspaces, workspaceStatus } from './workspace-status.ts';

test('shows commits, changes and size against the base', async () => {
  const user = new TestWorld();
  user.commit({ a: '1\n2\n' });
  const { record } = await user.create();
  user.write({ a: '1\n', new: 'n\n' }, record.path);
  user.runIn(record.path, 'add', 'new');
  user.runIn(record.path, 'commit', '-q', '-m', 'new');
  user.commit({ main: 'm' });
  expect(await workspaceStatus(user, record)).toMatchObject({
    branch: 'baton/task',
    ahead: 1,
    behind: 1,
    files: 2,
    additions: 1,
    deletions: 1,
    losses: [{ kind: 'changes' }, { kind: 'commits' }],
  });
});

test('computes the states merged and removable', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record } = await user.create();
  const idle = user.files.change(record.workspace_id, { state: 'idle' });
  const state = async () => (await workspaceStatus(user, idle)).record.state;
  expect(await state()).toBe('removable');
  user.write({ b: 'b' }, record.path);
  expect(await state()).toBe('idle');
  user.runIn(record.path, 'add', '-A');
  user.runIn(record.path, 'commit', '-q', '-m', 'b');
  expect(await state()).toBe('idle');
  user.run('merge', '-q', '--no-ff', '--no-edit', 'baton/task');
  expect(await state()).toBe('merged');
});

test('cleans what loses nothing and shows before how much it frees', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record: old } = await user.create({ name: 'old' });
  const { record: busy } = await user.create({ name: 'busy' });
  const { record: dirty } = await user.create({ name: 'dirty' });
  const used_at = new Date(Date.now() - 10 * 86_400_000).toISOString();
  user.files.change(old.workspace_id, { used_at, state: 'idle' });
  user.files.change(busy.workspace_id, { used_at, state: 'in_use' });
  const leave = new FolderSessions(user.files).enter(busy.path, 's');
  user.files.change(dirty.workspace_id, { used_at, state: 'idle' });
  user.write({ a: 'edited' }, dirty.path);
  await user.create({ name: 'fresh' });
  expect((await staleWorkspaces(user, 7)).map(({ record }) => record.branch)).toEqual([
    'baton/old',
    'baton/dirty',
  ]);
  const plan = await cleanPlan(user, { days: 7 });
  expect(plan.remove.map(({ record }) => record.branch)).toEqual(['baton/old']);
  expect(plan.keep.map(({ record }) => record.branch)).toEqual(['baton/dirty']);
  expect(plan.bytes).toBeGreaterThan(0);
  expect(await listWorkspaces(user)).toHaveLength(4);
  expect(await clean(user, plan)).toMatchObject({
    removed: [{ branch: 'baton/old', state: 'removed' }],
    failed: [],
  });
  leave();
  expect(await listWorkspaces(user)).toHaveLength(3);
});

test('adopts a worktree of the user and never deletes its branch', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const path = join(user.folder, 'own');
  user.run('worktree', 'add', '-q', path, '-b', 'feature');
  const record = await adoptWorktree({ ...user, git: user.git, files: user.files, path });
  expect(record).toMatchObject({ branch: 'feature', base_ref: 'main', state: 'idle', path });
  expect((await adoptWorktree({ git: user.git, files: user.files, path })).workspace_id).toBe(
    record.workspace_id,
  );
  expect((await cleanPlan(user)).remove).toEqual([]);
  await removeWorktree({
    git: user.git,
    files: user.files,
    id: record.workspace_id,
    deleteBranch: true,
  });
  expect(user.run('branch', '--list', 'feature').trim()).toBe('feature');
  await expect(
    adoptWorktree({ git: user.git, files: user.files, path: user.root }),
  ).rejects.toMatchObject({ code: 'conflict' });
});

test('counts the size without following links, and stops at a limit', async () => {
  const user = new TestWorld({ isGit: false });
  mkdirSync(join(user.root, 'dir'));
  user.write({ 'dir/x': Buffer.alloc(100_000, 1) });
  symlinkSync('/usr', join(user.root, 'link'));
  symlinkSync('..', join(user.root, 'dir/up'));
  const bytes = await diskUse(user.root);
  expect(bytes).toBeGreaterThan(90_000);
  expect(bytes).toBeLessThan(300_000);
  expect(await diskUse(user.root, { maxEntries: 2 })).toBeNull();
});

test('content of an LFS pointer is no change and no loss, other content is both', async () => {
  const user = new TestWorld();
  const content = 'content of x\n';
  const oid = createHash('sha256').update(content).digest('hex');
  user.commit({
    '.gitattributes': '*.bin filter=lfs\n',
    'x.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`,
  });
  const { record } = await user.create();
  user.write({ 'x.bin': content }, record.path);
  expect(await listWorkspaces(user)).toMatchObject([{ files: 0, losses: [] }]);
  user.write({ 'x.bin': 'Content of x\n' }, record.path);
  const [changed] = await listWorkspaces(user);
  expect(changed).toMatchObject({ files: 1, losses: [{ kind: 'changes', count: 1 }] });
});
