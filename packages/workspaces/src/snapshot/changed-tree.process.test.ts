import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { TestRepository } from '../testing/repository.ts';
import type { PrivateRepository } from './private-repository.ts';
import { takeSnapshot } from './snapshot.ts';

const NAMES = [
  'a b',
  'new\nline',
  '"quoted"',
  'back\\slash',
  '-rf',
  'tab\there',
  'ünï/ço$dé',
  ' x ',
];

/** The tree that Git itself makes of the present files, and the commands that a snapshot needs for it. */
async function snapshotOf(user: TestRepository, own: PrivateRepository) {
  const run = vi.spyOn(own.git, 'run');
  const { tree } = await takeSnapshot(own);
  const commands = run.mock.calls.map(([args]) => args.find((arg) => /^[a-z]+-/.test(arg)));
  run.mockRestore();
  user.run('add', '-A');
  return { tree, expected: user.run('write-tree'), commands };
}

test('contents and modes of tracked files are written without the index', async () => {
  const user = new TestRepository();
  user.commit(Object.fromEntries(NAMES.map((name) => [name, 'first\n'])));
  const own = await user.private();
  await takeSnapshot(own);
  user.write(Object.fromEntries(NAMES.map((name, n) => [name, Buffer.from([n, 0, 255, 10])])));
  user.write({ 'a b': '' });
  chmodSync(join(user.root, '-rf'), 0o755);
  const edited = await snapshotOf(user, own);
  expect(edited.tree).toBe(edited.expected);
  expect(edited.commands).toContain('fast-import');
  // What stays goes into the index, so that it is read no more.
  const same = await snapshotOf(user, own);
  expect(same.tree).toBe(edited.tree);
  expect(same.commands).toContain('update-index');
  const again = await snapshotOf(user, own);
  expect(again.tree).toBe(edited.tree);
  expect(again.commands.sort()).toEqual(['diff-files', 'ls-files', 'ls-files']);
  expect(user.runIn(own.common, '--git-dir=.', 'for-each-ref')).toBe('');
  expect(readdirSync(join(own.common, 'refs')).sort()).toEqual(['heads', 'tags']);
});

test.each([
  ['line ends', '* text=auto\n', 'one\r\ntwo\r\n'],
  ['an identifier', '* ident\n', '$Id: 1 $\n'],
  ['an encoding', '*.txt working-tree-encoding=UTF-16\n', Buffer.from('\ufeffedit', 'utf16le')],
])('Git decides how to store %s', async (_what, rules, content) => {
  const user = new TestRepository();
  user.commit({ '.gitattributes': rules });
  user.commit({ 'dir/a.txt': Buffer.from('\ufefffirst', 'utf16le'), 'plain.md': 'first\n' });
  const own = await user.private();
  await takeSnapshot(own);
  user.write({ 'dir/a.txt': content, 'plain.md': 'second\n' });
  const edited = await snapshotOf(user, own);
  expect(edited.tree).toBe(edited.expected);
  expect(edited.commands).not.toContain('fast-import');
});
