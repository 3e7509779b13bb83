import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCheckpoint } from '../snapshot/checkpoints.ts';
import { differences, patchOf } from '../snapshot/differences.ts';
import { restore } from '../snapshot/restore.ts';
import { TestWorld } from '../testing/world.ts';
import { sessionChanges } from '../turn/session-changes.ts';
import { adoptWorktree } from './adopt-worktree.ts';
import { reconcile } from './reconcile.ts';
import { expireRemoved, removeWorktree, restoreWorktree } from './remove-worktree.ts';
import { listWorkspaces } from './workspace-status.ts';

const HOOKS = [
  ...['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit', 'post-commit'],
  ...['pre-auto-gc', 'fsmonitor-watchman', 'post-merge', 'pre-push', 'post-rewrite', 'update'],
];
const NAMES = ['new\nline', '"quoted"', '-rf', '--output=x', 'tab\there', '$(touch x)', ' space '];

/** A repository in which every way to name a program leads to one that leaves a mark. */
function hostile() {
  const user = new TestWorld();
  const markers = join(user.folder, 'markers');
  const outside = join(user.folder, 'outside');
  for (const folder of [markers, outside]) mkdirSync(folder);
  const program = join(user.folder, 'trap.sh');
  writeFileSync(program, `#!/bin/sh\ntouch "${markers}/$1"\ncat 2>/dev/null\n`);
  chmodSync(program, 0o755);
  const trap = (name: string) => `${program} ${name}`;
  const files = Object.fromEntries(NAMES.map((name) => [name, `${name}\n`]));
  user.commit({ ...files, 'a.txt': 'a\n', 'b.proc': 'b\n', 'c.lfs': 'c\n', 'sub/d.txt': 'd\n' });
  symlinkSync(outside, join(user.root, 'link'));
  writeFileSync(
    join(user.root, '.gitattributes'),
    '*.txt filter=evil diff=evil merge=evil\n*.proc filter=proc\n*.lfs filter=lfs\n',
  );
  user.commit({});
  const nested = join(user.root, 'nested');
  mkdirSync(nested);
  user.runIn(nested, 'init', '-q');
  user.runIn(nested, 'commit', '-q', '--allow-empty', '-m', 'nested');
  user.run('-c', 'advice.addEmbeddedRepo=false', 'add', 'nested');
  user.run('commit', '-q', '-m', 'gitlink');
  user.run(
    'update-index',
    '--add',
    '--cacheinfo',
    `160000,${user.run('rev-parse', 'HEAD')},module`,
  );
  user.run('commit', '-q', '-m', 'module');
  mkdirSync(join(user.root, 'module'));
  const settings: Record<string, string> = {
    'core.fsmonitor': trap('fsmonitor'),
    'core.sshCommand': trap('ssh'),
    'core.pager': trap('pager'),
    'core.editor': trap('editor'),
    'core.askPass': trap('askpass'),
    'core.alternateRefsCommand': trap('alternate'),
    'core.worktree': outside,
    'credential.helper': `!${trap('credential')}`,
    'filter.evil.clean': trap('clean'),
    'filter.evil.smudge': trap('smudge'),
    'filter.evil.required': 'true',
    'filter.proc.process': trap('process'),
    'filter.lfs.process': trap('lfs-process'),
    'filter.lfs.smudge': trap('lfs-smudge'),
    'diff.external': trap('external'),
    'diff.evil.textconv': trap('textconv'),
    'diff.evil.command': trap('diff-command'),
    'merge.evil.driver': trap('merge-driver'),
    'alias.status': `!${trap('alias')}`,
    'gpg.program': trap('gpg'),
    'commit.gpgSign': 'true',
    'uploadpack.packObjectsHook': trap('pack-objects'),
    'remote.evil.url': `ext::${trap('transport')}`,
    'remote.evil.promisor': 'true',
    'remote.evil.uploadpack': trap('uploadpack'),
    'protocol.ext.allow': 'always',
    'protocol.file.allow': 'always',
    'submodule.module.update': `!${trap('submodule')}`,
    'gc.recentObjectsHook': trap('gc'),
    'include.path': join(user.root, 'included'),
    'includeIf.gitdir:**.path': join(user.folder, 'included-if'),
    'includeIf.onbranch:**.path': join(user.folder, 'included-if'),
  };
  const config = (folder: string) => join(folder, '.git/config');
  const git = (folder: string, name: string, value: string) =>
    user.runIn(user.folder, 'config', '--file', config(folder), name, value);
  writeFileSync(join(user.root, 'included'), `[core]\n\tfsmonitor = ${trap('included')}\n`);
  writeFileSync(
    join(user.folder, 'included-if'),
    `[core]\n\tfsmonitor = ${trap('included-if')}\n[filter "evil"]\n\tclean = ${trap('clean-if')}\n`,
  );
  for (const [name, value] of Object.entries(settings)) git(user.root, name, value);
  git(nested, 'core.fsmonitor', trap('nested-fsmonitor'));
  git(nested, 'filter.evil.clean', trap('nested-clean'));
  for (const folder of [user.root, nested]) {
    mkdirSync(join(folder, '.git/hooks'), { recursive: true });
    for (const name of HOOKS) {
      const hook = join(folder, '.git/hooks', name);
      writeFileSync(hook, `#!/bin/sh\n${trap(`hook-${name}`)}\nexit 1\n`);
      chmodSync(hook, 0o755);
    }
  }
  writeFileSync(join(user.root, '.git/info/attributes'), '* filter=evil diff=evil\n');
  const elsewhere = join(user.root, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, '.git'), `gitdir: ${nested}/.git\n`);
  return { user, markers: () => readdirSync(markers), outside };
}

test('nothing that a hostile repository names is executed by any operation', async () => {
  const { user, markers, outside } = hostile();
  const { git, files } = user;
  const before = user.untouched();
  // Undo of one turn in place.
  const own = await user.private();
  const start = await createCheckpoint(own, { kind: 'start' });
  user.write({ 'a.txt': 'changed\n', 'new\nfile': 'n\n', 'nested/x': 'x' });
  const after = await createCheckpoint(own, { kind: 'after' });
  expect((await differences(own, [start.tree, after.tree])).total).toBe(2);
  await patchOf(own, [start.tree, after.tree]);
  await restore(own, { tree: start.tree });
  user.write({ 'a.txt': 'changed\n' });
  // A worktree from its creation to its end.
  const { record } = await user.create({ withChanges: true });
  user.write({ 'b.proc': 'edited\n', '-x': 'x\n' }, record.path);
  const id = record.workspace_id;
  expect(await listWorkspaces(user)).toMatchObject([{ files: 4 }]);
  await removeWorktree({ git, files, id, force: true, deleteBranch: true });
  await restoreWorktree({ git, files, id });
  expect(await listWorkspaces(user)).toMatchObject([{ files: 4 }]);
  await reconcile(user);
  rmSync(join(user.files.folder, `${id}.json`));
  await adoptWorktree({ git, files, path: record.path });
  await expireRemoved(user);
  expect(markers()).toEqual([]);
  expect(readdirSync(outside)).toEqual([]);
  expect(user.untouched()).toEqual(before);
});

test('the traps of the hostile repository work for plain git', () => {
  const { user, markers } = hostile();
  try {
    user.run('--work-tree=.', 'diff');
    user.run('--work-tree=.', 'add', 'a.txt');
  } catch {
    // Some of the programs answer with nonsense.
  }
  expect(markers()).not.toEqual([]);
});

/** A commit whose few objects make a billion paths: each folder has the one below a thousand times. */
function hugeCommit(user: TestWorld): string {
  const make =
    (...args: string[]) =>
    (input: string) =>
      user.feed(input, ...args);
  const blob = make('hash-object', '-w', '--stdin')('x\n');
  const level = (entry: string) =>
    make('mktree')(Array.from({ length: 1000 }, (_, n) => `${entry}\tn${n}\n`).join(''));
  const files = level(`100644 blob ${blob}`);
  const tree = level(`040000 tree ${level(`040000 tree ${files}`)}`);
  return user.run('commit-tree', tree, '-m', 'huge');
}

test('a tree of a billion files is refused before git reads it', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a\n' });
  const huge = hugeCommit(user);
  const refused = { code: 'too_large', message: 'The commit has more than 2,000,000 files.' };
  await expect(user.create({ base: huge })).rejects.toMatchObject(refused);
  expect(user.files.list()).toEqual([]);
  // HEAD and the base of a worktree.
  const { record } = await user.create();
  user.runIn(record.path, 'update-ref', 'HEAD', huge);
  expect(await listWorkspaces(user)).toMatchObject([{ problem: refused.message }]);
  const own = await user.private(record.path);
  const note = { kind: 'start', sessionId: 's' } as const;
  const { tree } = await createCheckpoint(own, note);
  const changes = { compare: 'base', sessionId: 's', baseCommit: huge } as const;
  await expect(sessionChanges(own, changes)).rejects.toMatchObject(refused);
  user.write({ a: 'b\n' }, record.path);
  expect(await sessionChanges(own, { ...changes, compare: 'session' })).toMatchObject({ total: 1 });
  await restore(own, { tree });
});
