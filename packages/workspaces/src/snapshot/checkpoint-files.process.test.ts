import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestRepository } from '../testing/repository.ts';
import { createCheckpoint, listCheckpoints, newestCheckpoint } from './checkpoints.ts';

const NOTE = { kind: 'start', sessionId: 's', prompt: 'Grüße "世界"\n' } as const;

test.each([true, false])(
  'git reads checkpoints that were written as files (Git: %s)',
  async (isGit) => {
    const user = new TestRepository({ isGit });
    user.write({ a: 'a' });
    const repository = await user.private();
    const first = await createCheckpoint(repository, NOTE);
    user.write({ a: 'b' });
    const second = await createCheckpoint(repository, { kind: 'after' });
    expect(await listCheckpoints(repository)).toEqual([first, second]);
    expect(await newestCheckpoint(repository)).toEqual(second);
    const { code } = await user.git.run(['fsck', '--strict'], repository.objects());
    expect(code).toBe(0);
  },
);

test('checkpoints that git has packed are read and continued', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a' });
  const repository = await user.private();
  const first = await createCheckpoint(repository, NOTE);
  await user.git.run(['pack-refs', '--all'], repository.objects());
  expect(await newestCheckpoint(repository)).toEqual(first);
  const known = [first];
  const second = await createCheckpoint(repository, { kind: 'after' }, { known });
  expect(await listCheckpoints(repository)).toEqual([first, second]);
});

test('checkpoints that are made at the same time have different numbers', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a' });
  const repository = await user.private();
  const make = () => createCheckpoint(repository, { kind: 'before' }, { known: [] });
  await Promise.all([make(), make(), make()]);
  expect((await listCheckpoints(repository)).map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('no checkpoint is made of a tree that is gone', async () => {
  const user = new TestRepository({ isGit: false });
  user.write({ a: 'a' });
  const repository = await user.private();
  const { tree, gaps } = await createCheckpoint(repository, NOTE);
  rmSync(join(repository.common, 'refs/checkpoints'), { recursive: true });
  rmSync(join(repository.common, 'objects', tree.slice(0, 2)), { recursive: true });
  const again = createCheckpoint(repository, NOTE, { snapshot: { tree, gaps } });
  await expect(again).rejects.toMatchObject({ code: 'git_failed' });
});
