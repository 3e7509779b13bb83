import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MERGE_METHODS, type MergeMethod } from '@baton/protocol/values';
import { afterEach, expect, test, vi } from 'vitest';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { TestWorld } from '../testing/world.ts';
import { FolderSessions } from '../worktree/folder-sessions.ts';
import { reconcile } from '../worktree/reconcile.ts';
import { removalCheck } from '../worktree/remove-worktree.ts';
import { workspaceStatus } from '../worktree/workspace-status.ts';
import { type CommitOptions, commitChanges } from './commit-changes.ts';
import { finish, planFinish } from './finish.ts';
import { finishPlace } from './finish-place.ts';
import { commitPlan, mergePlan } from './finish-plan.ts';
import { mergeBranch } from './merge-branch.ts';

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A repository whose person is known, and a worktree in which an agent has worked. */
async function world() {
  const user = new TestWorld();
  user.run('config', 'user.name', 'Ada');
  user.run('config', 'user.email', 'ada@localhost');
  user.commit({ a: '1\n2\n3\n', 'dir/b': 'b\n', '.gitignore': 'ignored\n' });
  const { record } = await user.create({ name: 'fix-the-login' });
  const { home } = user;
  const place = (folder = record.path) => finishPlace(home, folder);
  return {
    user,
    record,
    home,
    path: record.path,
    place,
    in: (...args: string[]) => user.runIn(record.path, ...args),
    write: (files: Parameters<TestWorld['write']>[0]) => user.write(files, record.path),
    commit: async (options: Partial<CommitOptions> = {}) =>
      commitChanges(home, await place(), { message: 'Work', ...options }),
    merge: async ({
      method = 'squash' as MergeMethod,
      target = 'main',
      message = 'Merged',
    } = {}) => {
      const plan = await mergePlan(home, await place(), { method, target, message });
      if (!plan.merge) throw new Error('There is no plan.');
      return mergeBranch(home, await place(), plan.merge, { message });
    },
    /** Adds an executable hook to the repository. */
    hook: (name: string, script: string) => {
      user.write({ [`.git/hooks/${name}`]: `#!/bin/sh\n${script}\n` });
      chmodSync(join(user.root, '.git/hooks', name), 0o755);
    },
  };
}

test('a commit contains every change: new, deleted, renamed and staged files of any name', async () => {
  const { in: git, write, commit, path, place, home } = await world();
  write({ a: '1\nx\n3\n', 'new *[a]': 'n', '-v': 'dash', 'line\nbreak': 'l', ignored: 'i' });
  rmSync(join(path, 'dir/b'));
  write({ 'dir/c': 'b\n', staged: 's' });
  git('add', 'staged');
  const plan = await commitPlan(home, await place(), {});
  expect(plan.message).toBe('Fix the login');
  const { commit: id, changes } = await commit({ message: 'Subject\n\nBody #1' });
  expect(git('rev-parse', 'HEAD')).toBe(id);
  expect(git('log', '-1', '--format=%an <%ae>|%cn|%s|%b')).toBe(
    'Ada <ada@localhost>|Ada|Subject|Body #1',
  );
  expect(changes.total).toBe(6);
  expect(git('status', '--porcelain')).toBe('');
  expect(existsSync(join(path, 'ignored'))).toBe(true);
  expect(git('ls-tree', '-z', '--name-only', 'HEAD').split('\0')).toEqual(
    expect.arrayContaining(['-v', 'line\nbreak', 'new *[a]', 'staged']),
  );
});

test('an ignored file that was added on purpose is committed too', async () => {
  const { in: git, write, commit } = await world();
  write({ ignored: 'i' });
  git('add', '-f', 'ignored');
  expect((await commit()).changes.total).toBe(1);
  expect(git('status', '--porcelain')).toBe('');
});

test('chosen files are committed, and the others stay as they were, staged or not', async () => {
  const { in: git, write, commit } = await world();
  write({ a: 'changed\n', one: '1', 'sub/two': '2', staged: 's' });
  git('add', 'staged');
  await commit({ paths: ['a', 'sub'] });
  expect(git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual(['a', 'sub/two']);
  expect(git('status', '--porcelain')).toBe('A  staged\n?? one');
  await expect(commit({ paths: ['dir/b'] })).rejects.toMatchObject({ code: 'usage' });
  await expect(commit({ paths: ['on'] })).rejects.toMatchObject({ code: 'usage' });
});

test('hooks run as in a terminal; one that fails changes nothing and says why', async () => {
  const { in: git, write, commit, hook, place, home } = await world();
  hook('pre-commit', 'echo checking; test ! -f bad || { echo "bad file" >&2; exit 1; }');
  hook('commit-msg', 'echo "Reviewed: yes" >> "$1"');
  write({ bad: 'b', a: 'edited\n' });
  const before = [git('rev-parse', 'HEAD'), git('status', '--porcelain')];
  expect((await commitPlan(home, await place(), {})).commit?.hooks).toEqual([
    'pre-commit',
    'commit-msg',
  ]);
  await expect(commit()).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('checking\nbad file'),
  });
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual(before);
  const lines: string[] = [];
  await commit({ paths: ['a'], onLine: (line) => lines.push(line) }).catch((error) =>
    lines.push(error.message),
  );
  expect(lines.join()).toContain('bad file');
  git('clean', '-qf', 'bad');
  await commit();
  expect(git('log', '-1', '--format=%B')).toBe('Work\nReviewed: yes');
});

test('a hook that formats files leaves nothing to commit', async () => {
  const { in: git, write, commit, hook } = await world();
  hook(
    'pre-commit',
    'for f in $(git diff --cached --name-only); do echo end >> $f; git add $f; done',
  );
  write({ a: 'edited\n', new: 'n\n' });
  git('add', 'a');
  write({ a: 'edited twice\n' });
  await commit();
  expect(git('status', '--porcelain')).toBe('');
  expect(git('show', 'HEAD:a')).toBe('edited twice\nend');
});

test('a file that was ignored after a turn is not committed', async () => {
  const { in: git, write, commit, place, user, path } = await world();
  write({ 'out/x.o': 'o', kept: 'k' });
  await takeSnapshot(await user.private(path));
  write({ '.gitignore': 'ignored\nout/\n' });
  expect((await place()).changes.files.map((file) => file.path)).toEqual(['.gitignore', 'kept']);
  await commit();
  expect(git('status', '--porcelain', '--ignored')).toBe('!! out/');
});

test('what is staged, but as before on the disk, is committed as it is on the disk', async () => {
  const { in: git, write, commit } = await world();
  write({ a: 'staged\n', gone: 'g' });
  git('add', 'a', 'gone');
  write({ a: '1\n2\n3\n', b: 'b' });
  git('rm', '-q', '--cached', 'dir/b');
  await commit();
  expect(git('status', '--porcelain')).toBe('');
  expect(git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual(['b', 'gone']);
});

test('a repository that a variable names, as in a hook, is not used', async () => {
  const { in: git, user, write, commit } = await world();
  const other = new TestWorld();
  const first = other.commit({ other: 'o' });
  write({ new: 'n' });
  vi.stubEnv('GIT_DIR', join(other.root, '.git'));
  vi.stubEnv('GIT_INDEX_FILE', join(other.root, '.git/index'));
  await commit();
  expect(git('status', '--porcelain')).toBe('');
  expect(other.run('rev-parse', 'HEAD')).toBe(first);
  expect(user.problems()).toEqual([]);
});

test.each(MERGE_METHODS)(
  '%s brings the work to a branch that is checked out nowhere',
  async (method) => {
    const { user, in: git, write, commit, merge, record, home } = await world();
    user.run('switch', '-q', '-c', 'elsewhere');
    write({ one: '1' });
    await commit({ message: 'One' });
    write({ two: '2' });
    const { commit: tip } = await commit({ message: 'Two' });
    user.run('switch', '-q', 'main');
    const from = user.commit({ main: 'm' });
    user.run('switch', '-q', 'elsewhere');
    const before = user.untouched();
    const done = await merge({ method });
    expect(done).toMatchObject({ target: 'main', from, checkout: null });
    expect(user.untouched()).toEqual(before);
    expect(user.run('rev-parse', 'main')).toBe(done.commit);
    const subjects = user.run('log', '--format=%s', `${from}..main`).split('\n').sort();
    expect(subjects).toEqual(
      { squash: ['Merged'], merge: ['Merged', 'One', 'Two'], rebase: ['One', 'Two'] }[method],
    );
    expect(user.run('ls-tree', '--name-only', 'main').split('\n')).toEqual(
      expect.arrayContaining(['main', 'one', 'two']),
    );
    expect(git('rev-parse', 'HEAD')).toBe(tip);
    expect(user.problems()).toEqual([]);
    const stored = home.files.get(record.workspace_id);
    expect(stored).toMatchObject({ merged: { target: 'main', commit: done.commit, head: tip } });
    const idle = home.files.change(record.workspace_id, { state: 'idle' });
    expect((await workspaceStatus(home, idle)).record.state).toBe('merged');
    expect((await removalCheck(home, record.workspace_id)).losses).toEqual([]);
    await expect(merge({ method })).rejects.toMatchObject({
      code: 'conflict',
      message: 'main already has everything that is in baton/fix-the-login.',
    });
  },
);

test('work after a squash is merged alone', async () => {
  const { user, write, commit, merge } = await world();
  write({ a: 'first\n2\n3\n' });
  await commit();
  await merge({ message: 'First' });
  write({ a: 'first\n2\nthird\n' });
  await commit();
  await merge({ message: 'Second' });
  expect(user.run('log', '--format=%s', 'main').split('\n')).toEqual(['Second', 'First', 'change']);
  expect(user.run('show', 'main:a')).toBe('first\n2\nthird');
});

test('the folder that has the target checked out is updated if it is clean', async () => {
  const { user, write, commit, merge } = await world();
  write({ a: 'new\n', added: 'a' });
  await commit();
  user.write({ notes: 'untracked' });
  expect(await merge()).toMatchObject({ checkout: user.root });
  expect(read(user.root, 'a')).toBe('new\n');
  expect(user.run('status', '--porcelain')).toBe('?? notes');
});

test.each([
  ['an edited file', { 'dir/b': 'edited' }, [], 'uncommitted changes: dir/b'],
  ['a new file in the way', { added: 'mine' }, [], 'files that the merge would make: added'],
  [
    'an ignored file in the way',
    { ignored: 'mine' },
    [],
    'files that the merge would make: ignored',
  ],
  ['a file in place of a folder', { sub: 'mine' }, [], 'files that the merge would make: sub'],
  ['a staged change', { 'dir/b': 'staged' }, ['add', 'dir/b'], 'uncommitted changes: dir/b'],
])(
  'a target that is checked out with %s is refused, and nothing changes',
  async (_, files, args, words) => {
    const { user, in: git, write, commit, merge, home, record } = await world();
    write({ a: 'new\n', added: 'a', ignored: 'i', 'sub/deep/x': 'x' });
    git('add', '-f', 'ignored');
    await commit();
    user.write(files);
    if (args.length > 0) user.run(...args);
    const state = () => [user.untouched(), user.run('rev-parse', 'main'), user.run('status', '-s')];
    const before = state();
    const [name = ''] = Object.keys(files);
    const content = read(user.root, name);
    await expect(merge()).rejects.toMatchObject({ message: expect.stringContaining(words) });
    expect(state()).toEqual(before);
    expect(read(user.root, name)).toBe(content);
    expect(home.files.get(record.workspace_id)).not.toHaveProperty('merging');
  },
);

test.each(MERGE_METHODS)('conflicts are found before %s changes anything', async (method) => {
  const { user, write, commit, merge, place, home } = await world();
  write({ a: 'agent\n2\n3\n' });
  await commit();
  user.commit({ a: 'user\n2\n3\n' });
  const before = user.untouched();
  const plan = await mergePlan(home, await place(), { method, target: 'main' });
  expect(plan.merge?.conflicts).toEqual(['a']);
  await expect(merge({ method })).rejects.toMatchObject({ code: 'conflict' });
  expect(user.untouched()).toEqual(before);
});

test('a clean target with a file that is tracked although it is ignored is updated', async () => {
  const { user, write, commit, merge } = await world();
  write({ one: '1' });
  await commit();
  await merge();
  user.write({ ignored: 'tracked' });
  user.run('add', '-f', 'ignored');
  user.run('commit', '-q', '-m', 'ignored');
  write({ two: '2' });
  await commit();
  await merge();
  expect(user.run('status', '--porcelain')).toBe('');
  expect(read(user.root, 'two')).toBe('2');
});

test('a merge does not give the work the message of the merge', async () => {
  const { write, place, home } = await world();
  write({ one: '1' });
  const plan = await mergePlan(home, await place(), { method: 'merge', target: 'main' });
  expect([plan.message, plan.commit?.message]).toEqual([
    "Merge branch 'baton/fix-the-login' into main",
    'Fix the login',
  ]);
});

test('a branch that moved after the plan is not moved', async () => {
  const { user, write, commit, place, home } = await world();
  user.run('switch', '-q', '-c', 'elsewhere');
  write({ one: '1' });
  await commit();
  const { merge: plan } = await mergePlan(home, await place(), {
    method: 'squash',
    target: 'main',
  });
  if (!plan) throw new Error('There is no plan.');
  user.run('branch', '-f', 'main', user.commit({ other: 'o' }));
  const moved = user.run('rev-parse', 'main');
  await expect(mergeBranch(home, await place(), plan, { message: 'Merged' })).rejects.toMatchObject(
    { code: 'conflict', message: 'main has moved meanwhile.' },
  );
  expect(user.run('rev-parse', 'main')).toBe(moved);
});

test('nothing is finished while an agent works there or in the folder of the target', async () => {
  const { user, write, commit, merge, home, path } = await world();
  write({ one: '1' });
  const sessions = new FolderSessions(home);
  const leave = sessions.enter(path, 's');
  await expect(commit()).rejects.toMatchObject({ code: 'conflict' });
  leave();
  await commit();
  const leaveTarget = sessions.enter(user.root, 't');
  await expect(merge()).rejects.toMatchObject({
    code: 'conflict',
    message: `An agent is still working in ${user.root}.`,
  });
  leaveTarget();
  await merge();
});

test('a merge that has not ended in the worktree is named', async () => {
  const { user, in: git, write, commit } = await world();
  write({ a: 'agent\n' });
  await commit();
  user.commit({ a: 'user\n' });
  expect(() => git('merge', 'main')).toThrow();
  await expect(commit()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('still has conflict markers'),
  });
});

test('merge drivers, filters and fsmonitor of the repository do not run for a merge', async () => {
  const { user, in: git, write, commit, merge } = await world();
  const trap = join(user.folder, 'trapped');
  user.run('switch', '-q', 'main');
  user.commit({ '.gitattributes': '* merge=evil\n' });
  git('merge', '-q', 'main');
  write({ a: 'agent\n2\n3\n' });
  await commit();
  user.commit({ a: '1\n2\nuser\n' });
  user.run('switch', '-q', '-c', 'elsewhere');
  user.run('config', 'merge.evil.driver', `touch ${trap}`);
  user.run('config', 'core.fsmonitor', `touch ${trap}`);
  await merge();
  expect(existsSync(trap)).toBe(false);
  expect(user.run('show', 'main:a')).toBe('agent\n2\nuser');
});

test('a merge whose program was killed is recorded once its branch has moved', async () => {
  const { user, write, commit, home, record } = await world();
  user.run('switch', '-q', '-c', 'elsewhere');
  write({ one: '1' });
  const { commit: head } = await commit();
  const dead = { pid: 2 ** 22 - 1, start_ticks: 1 };
  const merging = { target: 'main', commit: head, head, at: new Date().toISOString() };
  home.files.change(record.workspace_id, { merging, owner: dead });
  expect(await reconcile(home)).toEqual([]);
  expect(home.files.get(record.workspace_id).merging).toBeUndefined();
  user.run('branch', '-f', 'main', head);
  home.files.change(record.workspace_id, { merging, owner: dead });
  expect(await reconcile(home)).toMatchObject([{ action: 'merge_found' }]);
  expect(home.files.get(record.workspace_id)).toMatchObject({ merged: merging });
});

test('a folder without a worktree of Baton is finished too', async () => {
  const { user, home } = await world();
  user.run('switch', '-q', '-c', 'topic');
  user.write({ a: 'edited\n' });
  const place = await finishPlace(home, join(user.root, 'dir'));
  expect(place).toMatchObject({ path: user.root, branch: 'topic', record: undefined });
  const { message } = await commitPlan(home, place, {});
  expect(message).toBe('Change a');
  await commitChanges(home, place, { message: message ?? '' });
  const plan = await mergePlan(home, await finishPlace(home, user.root), {
    method: 'rebase',
    target: 'main',
  });
  expect(plan.sentence).toContain('Merges topic into main');
});

test('a person whom Git does not know is told what to do', async () => {
  const { user, write, place, home } = await world();
  user.run('config', '--unset', 'user.name');
  user.run('config', '--unset', 'user.email');
  user.run('config', 'user.useConfigOnly', 'true');
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
  for (const name of ['NAME', 'EMAIL']) vi.stubEnv(`GIT_AUTHOR_${name}`, undefined);
  write({ a: 'edited\n' });
  await expect(commitPlan(home, await place(), {})).rejects.toMatchObject({
    code: 'git_failed',
    hint: expect.stringContaining('git config --global user.name'),
  });
});

test('conflicts are resolved in the worktree, and the merge then has the work of both', async () => {
  const { user, path, write, home, in: git } = await world();
  write({ a: '1\nours\n3\n', extra: 'x' });
  user.commit({ a: '1\ntheirs\n3\n', other: 'o' });
  const target = user.run('rev-parse', 'main');
  const plan = await planFinish(home, path, { action: 'resolve' });
  expect(plan).toMatchObject({ is_possible: true, merge: { conflicts: ['a'] } });
  expect(plan.sentence).toMatch(
    /^Commits 2 files.*Starts a merge of main into baton\/fix-the-login/,
  );
  const { resolving } = await finish(home, path, { action: 'resolve' }, { state: plan.state });
  expect(resolving).toEqual({
    target: 'main',
    conflicts: ['a'],
    ours: [],
    theirs: ['change'],
  });
  expect(read(path, 'a')).toContain('<<<<<<< ');
  expect(user.run('rev-parse', 'main')).toBe(target);
  // Nothing is merged while there are markers.
  for (const action of ['commit', 'merge', 'resolve'] as const) {
    await expect(planFinish(home, path, { action })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('a in'),
    });
  }
  write({ a: '1\nboth\n3\n' });
  const merged = await finish(home, path, { action: 'merge' });
  expect(merged.merged).toMatchObject({ target: 'main', from: target });
  expect(user.run('show', 'main:a')).toBe('1\nboth\n3');
  expect(user.run('show', 'main:extra')).toBe('x');
  expect(user.run('show', 'main:other')).toBe('o');
  // The branch has a merge commit, the target one commit more.
  expect(git('log', '-1', '--format=%P', 'baton/fix-the-login').split(' ')).toHaveLength(2);
  expect(user.run('rev-list', '--count', `${target}..main`)).toBe('1');
  expect(git('status', '--porcelain')).toBe('');
  expect(user.problems()).toEqual([]);
});

test('without conflicts there is nothing to resolve', async () => {
  const { user, path, write, home } = await world();
  write({ extra: 'x' });
  user.commit({ other: 'o' });
  expect(await planFinish(home, path, { action: 'resolve' })).toMatchObject({
    is_possible: false,
    sentence: 'baton/fix-the-login has no conflicts with main.',
  });
  await expect(finish(home, path, { action: 'resolve' })).rejects.toMatchObject({
    code: 'conflict',
  });
});

test.each(MERGE_METHODS)(
  'a resolution that keeps all own files ends its merge too: %s',
  async (method) => {
    const { user, path, write, home, in: git, commit } = await world();
    write({ a: '1\nours\n3\n' });
    await commit();
    user.commit({ a: '1\ntheirs\n3\n' });
    await finish(home, path, { action: 'resolve' });
    write({ a: '1\nours\n3\n' });
    await finish(home, path, { action: 'merge', method });
    expect(git('status')).not.toContain('unmerged');
    expect(git('log', '-1', '--format=%P', 'baton/fix-the-login').split(' ')).toHaveLength(2);
    expect(user.run('show', 'main:a')).toBe('1\nours\n3');
  },
);

test('a rebase whose commits conflict is refused before anything changes, although the result would not', async () => {
  const { user, path, write, home, in: git, commit } = await world();
  write({ a: '1\nfirst\n3\n' });
  await commit();
  write({ a: '1\nsame\n3\n' });
  await commit();
  write({ extra: 'x' });
  user.commit({ a: '1\nsame\n3\n' });
  const head = git('rev-parse', 'HEAD');
  const plan = await planFinish(home, path, { action: 'merge', method: 'rebase' });
  expect(plan).toMatchObject({ is_possible: false, merge: { conflicts: ['a'] } });
  await expect(finish(home, path, { action: 'merge', method: 'rebase' })).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(git('rev-parse', 'HEAD')).toBe(head);
  expect(await planFinish(home, path, { action: 'merge', method: 'squash' })).toMatchObject({
    is_possible: true,
  });
});

test('conflict markers in a file are named before they are committed', async () => {
  const { path, write, home } = await world();
  write({ a: '<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n', b: '=======\n' });
  const { sentence } = await planFinish(home, path, { action: 'commit' });
  expect(sentence).toContain('Conflict markers are in a.');
});
