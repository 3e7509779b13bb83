import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { copyFiles } from '../scripts/copy-files.ts';
import { SetupCache } from '../scripts/setup-cache.ts';
import { createCheckpoint, listCheckpoints } from '../snapshot/checkpoints.ts';
import { restore } from '../snapshot/restore.ts';
import { Turn } from '../turn/turn.ts';
import { undoTurn } from '../turn/undo-turn.ts';
import { reconcile } from '../worktree/reconcile.ts';
import { removeWorktree, restoreWorktree } from '../worktree/remove-worktree.ts';
import { SmallDisk } from './small-disk.ts';
import { TestWorld } from './world.ts';

const FULL = { code: 'no_resources', message: expect.stringMatching(/disk is full|No space left/) };
/** Content that does not fit the rest of a disk. */
const LARGE = (letter: string) =>
  Array.from({ length: 40_000 }, (_, n) => `${letter}${n}`).join('\n');

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

test('a turn on a full disk works without checkpoints, and later turns have them (needs a small disk)', async (context) => {
  const user = new TestWorld();
  user.commit({ a: 'a\n' });
  const disk = new SmallDisk(context, user.state, '8m');
  const events: WorkspaceEvent[] = [];
  const begin = (taskId: string) =>
    Turn.begin({
      ...{ home: user.home, sessionId: 's', taskId, cwd: user.root },
      onEvent: (event) => void events.push(event),
    });
  const notices = () => events.splice(0).flatMap((each) => (each.type === 'notice' ? each : []));
  // The disk is full at the end of a turn, during one, and at the beginning of another.
  const first = await begin('one');
  user.write({ a: LARGE('b') });
  disk.fill();
  await first.end();
  expect(notices()).toMatchObject([{ message: expect.stringContaining('cannot be undone') }]);
  const second = await begin('two');
  user.write({ new: LARGE('n') });
  await second.end();
  expect(notices()).toMatchObject([{ message: expect.stringContaining('cannot be undone') }]);
  const own = await user.private();
  await expect(createCheckpoint(own, { kind: 'before' })).rejects.toMatchObject(FULL);
  disk.free();
  const third = await begin('three');
  user.write({ a: 'of the third\n' });
  await third.end();
  expect(notices()).toEqual([]);
  await undoTurn(own, { sessionId: 's', taskId: 'three' });
  expect([read(user.root, 'a'), read(user.root, 'new')]).toEqual([LARGE('b'), LARGE('n')]);
  expect(user.problems()).toEqual([]);
  // Git leaves a part of the object that did not fit, which expires.
  const left = user.problems(own.common).filter((problem) => !problem.includes('tmp_obj_'));
  expect(left).toEqual([]);
});

test('an undo on a full disk changes nothing, and works once there is room (needs a small disk)', async (context) => {
  const user = new TestWorld();
  user.commit({ a: LARGE('a') });
  const disk = new SmallDisk(context, user.state, '8m');
  const own = await user.private();
  const { tree } = await createCheckpoint(own, { kind: 'start' });
  user.write({ a: LARGE('b'), new: LARGE('n') });
  disk.fill();
  await expect(restore(own, { tree })).rejects.toMatchObject(FULL);
  expect([read(user.root, 'a'), read(user.root, 'new')]).toEqual([LARGE('b'), LARGE('n')]);
  disk.free();
  const { before } = await restore(own, { tree });
  expect(read(user.root, 'a')).toBe(LARGE('a'));
  await restore(own, { tree: before.tree });
  expect(read(user.root, 'new')).toBe(LARGE('n'));
});

test('an undo in a folder on a full disk keeps all versions of its files (needs a small disk)', async (context) => {
  const user = new TestWorld();
  user.commit({ a: LARGE('a'), b: 'b\n' });
  const disk = new SmallDisk(context, user.worktrees, '4m');
  const { record } = await user.create();
  const own = await user.private(record.path);
  const { tree } = await createCheckpoint(own, { kind: 'start' });
  user.write({ a: 'small\n', b: 'edited\n' }, record.path);
  disk.fill();
  await expect(restore(own, { tree })).rejects.toMatchObject(FULL);
  const before = (await listCheckpoints(own)).find(({ kind }) => kind === 'undo');
  disk.free();
  await restore(own, { tree: before?.tree ?? '' });
  expect([read(record.path, 'a'), read(record.path, 'b')]).toEqual(['small\n', 'edited\n']);
  await restore(own, { tree });
  expect([read(record.path, 'a'), read(record.path, 'b')]).toEqual([LARGE('a'), 'b\n']);
});

test('a worktree is not removed while its work does not fit the disk (needs a small disk)', async (context) => {
  const user = new TestWorld();
  user.commit({ a: 'a\n' });
  const disk = new SmallDisk(context, user.state, '8m');
  const { git, files } = user;
  const { record } = await user.create();
  const id = record.workspace_id;
  user.write({ new: LARGE('n') }, record.path);
  disk.fill();
  await expect(removeWorktree({ git, files, id, force: true })).rejects.toMatchObject(FULL);
  expect(read(record.path, 'new')).toBe(LARGE('n'));
  expect(files.get(id)).toMatchObject({ state: 'ready', removed: null });
  disk.free();
  await removeWorktree({ git, files, id, force: true });
  expect(existsSync(record.path)).toBe(false);
  await restoreWorktree({ git, files, id });
  expect(read(record.path, 'new')).toBe(LARGE('n'));
});

test('a worktree that does not fit the disk can be restored later (needs a small disk)', async (context) => {
  const user = new TestWorld();
  user.commit({ a: 'a\n' });
  const disk = new SmallDisk(context, user.worktrees, '4m');
  const { git, files } = user;
  const { record } = await user.create();
  const id = record.workspace_id;
  user.write({ new: LARGE('n') }, record.path);
  await removeWorktree({ git, files, id, force: true });
  disk.fill();
  await expect(restoreWorktree({ git, files, id })).rejects.toMatchObject(FULL);
  disk.free();
  await reconcile(user);
  await restoreWorktree({ git, files, id });
  expect(read(record.path, 'new')).toBe(LARGE('n'));
  expect(user.problems()).toEqual([]);
});

test('copied files and results of a setup are complete or not there (needs a small disk)', async (context) => {
  const user = new TestWorld();
  user.write({ '.env': LARGE('e'), 'out/a': LARGE('a') });
  const disk = new SmallDisk(context, join(user.folder, 'disk'), '2m');
  const options = { source: user.root, target: disk.folder };
  const cache = new SetupCache({ folder: join(disk.folder, 'cache') });
  disk.fill();
  await expect(copyFiles(['.env'], options)).rejects.toMatchObject(FULL);
  await expect(cache.save('key', user.root, ['out'])).rejects.toMatchObject(FULL);
  expect(readdirSync(disk.folder).sort()).toEqual(['cache', 'filler']);
  expect(readdirSync(join(disk.folder, 'cache'))).toEqual([]);
  disk.free();
  expect(await copyFiles(['.env'], options)).toMatchObject({ copied: ['.env'] });
  await cache.save('key', user.root, ['out']);
  disk.fill();
  await expect(cache.restore('key', disk.folder)).rejects.toMatchObject(FULL);
  expect(existsSync(join(disk.folder, 'out'))).toBe(false);
  disk.free();
  expect(await cache.restore('key', disk.folder)).toBe(true);
  expect(read(disk.folder, 'out/a')).toBe(LARGE('a'));
});
