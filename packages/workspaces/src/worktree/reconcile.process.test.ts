import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCheckpoint, listCheckpoints } from '../snapshot/checkpoints.ts';
import { crashAt } from '../testing/crash.ts';
import { TestWorld } from '../testing/world.ts';
import { FolderSessions } from './folder-sessions.ts';
import { reconcile } from './reconcile.ts';
import { removalCheck, removeWorktree, restoreWorktree } from './remove-worktree.ts';
import { cleanPlan, listWorkspaces } from './workspace-status.ts';

test.each(['recorded', 'registered', 'populated'])(
  'removes a worktree whose creator crashed once it was %s',
  async (step) => {
    const user = new TestWorld();
    user.commit({ a: 'a' });
    const before = user.untouched();
    await crashAt(user, { operation: 'create', step });
    expect(user.files.list()).toMatchObject([{ state: 'creating' }]);
    expect(await reconcile(user)).toMatchObject([{ action: 'creation_undone' }]);
    expect(user.files.list()).toEqual([]);
    expect(existsSync(join(user.worktrees, 'app'))).toBe(false);
    expect(existsSync(join(user.root, '.git/worktrees'))).toBe(false);
    expect(user.run('branch', '--list', 'baton/*')).toBe('');
    expect(user.untouched()).toEqual(before);
    expect(user.problems()).toEqual([]);
  },
);

test('leaves a creation of a running program alone', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  let found: unknown;
  await user.create({
    onStep: (step) => {
      if (step === 'registered') found = user.files.list()[0]?.state;
    },
  });
  expect(found).toBe('creating');
  expect(await reconcile(user)).toEqual([]);
});

test.each([
  ['in_use', { state: 'idle', problem: null }],
  ['setting_up', { state: 'failed', problem: 'Its setup was interrupted.' }],
])('ends the use of a worktree whose program was killed while it was %s', async (step, settled) => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  expect(await crashAt(user, { operation: 'turn', step, name: 'work' })).toBe(true);
  const [found] = user.files.list();
  expect(found).toMatchObject({ state: step });
  const { losses } = await removalCheck(user, found?.workspace_id ?? '');
  expect(losses).toEqual([]);
  expect(await listWorkspaces(user)).toMatchObject([
    { record: { state: step === 'in_use' ? 'removable' : 'failed' } },
  ]);
  expect(await reconcile(user)).toMatchObject([{ action: 'use_ended' }]);
  expect(user.files.list()).toMatchObject([settled]);
  expect(await reconcile(user)).toEqual([]);
  expect((await cleanPlan(user)).remove).toHaveLength(1);
});

test('leaves a worktree in which an agent works alone, also one that it was started in by hand', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record } = await user.create();
  const { git, files } = user;
  const id = record.workspace_id;
  files.change(id, { state: 'in_use' });
  const leave = new FolderSessions(files).enter(record.path, 's');
  expect(await reconcile(user)).toEqual([]);
  expect((await cleanPlan(user)).remove).toEqual([]);
  files.change(id, { state: 'idle' });
  await expect(removeWorktree({ git, files, id })).rejects.toThrow('A session that has not ended');
  leave();
  await removeWorktree({ git, files, id });
});

test('keeps a half-made worktree whose branch has commits', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  await crashAt(user, { operation: 'create', step: 'populated' });
  const path = user.files.list()[0]?.path ?? '';
  user.runIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
  expect(await reconcile(user)).toMatchObject([{ action: 'creation_failed' }]);
  expect(user.files.list()).toMatchObject([{ state: 'failed' }]);
  expect(existsSync(path)).toBe(true);
});

test('makes a worktree that was deleted by hand one that can be restored', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record } = await user.create();
  user.write({ a: 'edited' }, record.path);
  await createCheckpoint(await user.private(record.path), { kind: 'after' });
  rmSync(record.path, { recursive: true });
  expect(await reconcile(user)).toMatchObject([{ action: 'folder_missing' }]);
  expect(user.files.get(record.workspace_id).state).toBe('removed');
  expect(user.run('worktree', 'list').split('\n')).toHaveLength(1);
  const { git, files } = user;
  await restoreWorktree({ git, files, id: record.workspace_id });
  expect(readFileSync(join(record.path, 'a'), 'utf8')).toBe('edited');
});

test('reports a repository that was moved and recovers when it is back', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record } = await user.create();
  const away = join(user.folder, 'away');
  renameSync(user.root, away);
  expect(await reconcile(user)).toMatchObject([{ action: 'repository_missing' }]);
  expect(user.files.get(record.workspace_id)).toMatchObject({ state: 'failed' });
  renameSync(away, user.root);
  expect(await reconcile(user)).toMatchObject([{ action: 'recovered' }]);
  expect(user.files.get(record.workspace_id)).toMatchObject({ state: 'idle', problem: null });
});

test('follows a moved repository after git worktree repair, with its checkpoints', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { record } = await user.create();
  const removed = await user.create();
  const { git, files } = user;
  const id = record.workspace_id;
  await removeWorktree({ git, files, id: removed.record.workspace_id });
  user.write({ a: 'edited' }, record.path);
  const { tree } = await createCheckpoint(await user.private(record.path), { kind: 'start' });
  const moved = join(user.folder, 'moved');
  renameSync(user.root, moved);
  await expect(removeWorktree({ git, files, id, force: true })).rejects.toMatchObject({
    code: 'git_failed',
    hint: expect.stringContaining(`git worktree repair ${record.path}`),
  });
  expect(await reconcile(user)).toMatchObject([{ action: 'repository_missing' }]);
  user.runIn(moved, 'worktree', 'repair', record.path);
  expect(await reconcile(user)).toMatchObject([{ action: 'recovered' }]);
  expect(files.get(id)).toMatchObject({ state: 'idle', problem: null, repository: moved });
  expect(await listCheckpoints(await user.private(record.path))).toMatchObject([{ tree }]);
  await removeWorktree({ git, files, id, force: true });
  expect(existsSync(record.path)).toBe(false);
  await restoreWorktree({ git, files, id });
  expect(readFileSync(join(record.path, 'a'), 'utf8')).toBe('edited');
  await restoreWorktree({ git, files, id: removed.record.workspace_id });
  expect(user.problems(join(moved, '.git'))).toEqual([]);
});

test('a removal follows a moved repository, and forgets what has no folder left', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { git, files } = user;
  const { record } = await user.create();
  const gone = await user.create();
  const moved = join(user.folder, 'moved');
  renameSync(user.root, moved);
  rmSync(gone.record.path, { recursive: true });
  await removeWorktree({ git, files, id: gone.record.workspace_id });
  user.runIn(moved, 'worktree', 'repair', record.path);
  const { workspace_id: id } = record;
  expect(await removeWorktree({ git, files, id })).toMatchObject({ repository: moved });
  expect(existsSync(record.path)).toBe(false);
  expect(files.list().map(({ workspace_id }) => workspace_id)).toEqual([id]);
});
