import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';
import { listFiles } from './list-files.ts';
import { unreadable } from './readable-folder.ts';

function project(...paths: string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-files-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const path of paths) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  return folder;
}

const found = async (daemon: TestDaemon, query: Record<string, string>) => {
  const { body } = await daemon.call('GET', `/files?${new URLSearchParams(query)}`);
  return (body.data as { path: string; kind: string }[]).map(({ path, kind }) =>
    kind === 'folder' ? `${path}/` : path,
  );
};

test('files are found by letters of their paths, the best first', async () => {
  const daemon = await testDaemon();
  const cwd = project('src/main.ts', 'src/domain/list.ts', 'docs/main-page.md', 'src/max-input.ts');
  expect(await found(daemon, { cwd, search: 'MAIN' })).toEqual([
    'src/main.ts',
    'docs/main-page.md',
    'src/domain/',
    'src/domain/list.ts',
    'src/max-input.ts',
  ]);
  expect(await found(daemon, { cwd, search: 'main.ts' })).toEqual([
    'src/main.ts',
    'src/max-input.ts',
    'src/domain/list.ts',
  ]);
  expect(await found(daemon, { cwd, limit: '3' })).toEqual(['docs/', 'src/', 'docs/main-page.md']);
  expect(await found(daemon, { cwd, search: 'nowhere' })).toEqual([]);
});

test('those of a session are in its folder', async () => {
  const daemon = await testDaemon();
  const cwd = project('日本/読む.md');
  const session = await daemon.call('POST', '/sessions', { body: { cwd, backend: 'demo' } });
  const session_id = String(session.body.session_id);
  expect(await found(daemon, { session_id, search: '読' })).toEqual(['日本/読む.md']);
});

test('leaves out what a .gitignore excludes', async () => {
  const daemon = await testDaemon();
  const cwd = project(
    '.git/HEAD',
    'node_modules/a/a.js',
    'dist/a.js',
    'lib/dist/b.js',
    'lib/out/c.js',
    'out/c.js',
    'a.log',
    'keep.log',
    'logs/deep/er/b.log',
    'Dist/a.js',
  );
  writeFileSync(join(cwd, '.gitignore'), '# built\ndist/\n/out\n\n*.log\n!keep.log\n');
  expect(await found(daemon, { cwd })).toEqual([
    '.gitignore',
    'Dist/',
    'keep.log',
    'lib/',
    'logs/',
    'Dist/a.js',
    'lib/out/',
    'logs/deep/',
    'lib/out/c.js',
    'logs/deep/er/',
  ]);
});

test('a nested .gitignore applies to its folder and overrides those above', async () => {
  const cwd = project(
    'a.tmp',
    'sub/a.tmp',
    'sub/b.txt',
    'sub/deep/a.tmp',
    'sub/deep/b.txt',
    'b.txt',
  );
  writeFileSync(join(cwd, '.gitignore'), '*.tmp\n');
  writeFileSync(join(cwd, 'sub/.gitignore'), '!a.tmp\n/b.txt\n');
  writeFileSync(join(cwd, 'sub/deep/.gitignore'), 'a.tmp\n');
  expect((await listFiles(cwd)).files.map(({ path }) => path)).toEqual([
    '.gitignore',
    'b.txt',
    'sub',
    'sub/.gitignore',
    'sub/a.tmp',
    'sub/deep',
    'sub/deep/.gitignore',
    'sub/deep/b.txt',
  ]);
});

test('skips a pattern that is slow to match', async () => {
  const cwd = project(`${'a/'.repeat(60)}c`, 'b');
  writeFileSync(join(cwd, '.gitignore'), `${'**/a/'.repeat(8)}b\nb\n`);
  const { files } = await listFiles(cwd);
  expect(files).toHaveLength(62);
  expect(files).not.toContainEqual({ path: 'b', kind: 'file' });
});

test('a folder that is nested too deep is listed but not entered', async () => {
  const cwd = project(`${'a/'.repeat(66)}c`);
  const { files, complete } = await listFiles(cwd);
  expect(files).toHaveLength(65);
  expect(complete).toBe(false);
});

test('links are not followed, and those that lead out are not listed', async () => {
  const elsewhere = project('secret');
  const cwd = project('in/a');
  symlinkSync(elsewhere, join(cwd, 'out'));
  symlinkSync(join(elsewhere, 'secret'), join(cwd, 'file'));
  symlinkSync(cwd, join(cwd, 'in/circle'));
  symlinkSync('in', join(cwd, 'other'));
  symlinkSync('nowhere', join(cwd, 'broken'));
  expect((await listFiles(cwd)).files).toEqual([
    { path: 'in', kind: 'folder' },
    { path: 'other', kind: 'folder' },
    { path: 'in/a', kind: 'file' },
  ]);
});

test('so much is looked at and no more', async () => {
  const cwd = project('a/1', 'a/2', 'b/3');
  const { files, complete } = await listFiles(cwd, { entries: 3, milliseconds: 10_000 });
  expect(files.map(({ path }) => path)).toEqual(['a', 'b', 'a/1']);
  expect(complete).toBe(false);
  expect(await listFiles(cwd, { entries: 5, milliseconds: 10_000 })).toMatchObject({
    complete: true,
  });
});

test('a folder that cannot be had is named with the reason', async () => {
  const daemon = await testDaemon();
  const cwd = project('a');
  const refusal = async (query: Record<string, string>) => {
    const { status, body } = await daemon.call('GET', `/files?${new URLSearchParams(query)}`);
    return [status, body.message];
  };
  const missing = join(cwd, 'b');
  expect(await refusal({ cwd: missing })).toEqual([
    404,
    `${missing} does not exist on the daemon's machine.`,
  ]);
  expect(await refusal({ cwd: join(cwd, 'a') })).toEqual([400, `${cwd}/a is not a folder.`]);
  expect(await refusal({ cwd: 'a' })).toEqual([
    400,
    'The folder must be an absolute path, not "a".',
  ]);
  expect(await refusal({ cwd: '/a\0' })).toEqual([400, 'The path contains a NUL character.']);
  expect(await refusal({ cwd, session_id: 's' })).toEqual([
    400,
    'query: Pass either a session or a folder.',
  ]);
  expect((await refusal({}))[0]).toBe(400);
  expect((await refusal({ session_id: 's' }))[0]).toBe(404);
});

test.each([
  ['EACCES', 'forbidden', 'The daemon has no permission to read /there.'],
  ['EPERM', 'forbidden', 'The daemon has no permission to read /there.'],
  ['ELOOP', 'not_found', "/there does not exist on the daemon's machine."],
  ['ENOTDIR', 'usage', '/there is not a folder.'],
])('a folder that the system refuses with %s is refused with a reason', (code, ours, words) => {
  expect(unreadable('/there', code)).toMatchObject({ code: ours, message: words });
  expect(unreadable('/there', 'EIO')).toBeUndefined();
});

test('a .gitignore that is a pipe or a link is ignored and does not block', async () => {
  const daemon = await testDaemon();
  const cwd = project('a', 'b');
  execFileSync('mkfifo', [join(cwd, '.gitignore')]);
  const names = async () => {
    const { body } = await daemon.call('GET', `/files?cwd=${cwd}`);
    return (body.data as { path: string }[]).map(({ path }) => path);
  };
  expect(await names()).toEqual(expect.arrayContaining(['a', 'b']));
  rmSync(join(cwd, '.gitignore'));
  symlinkSync('/dev/zero', join(cwd, '.gitignore'));
  expect(await names()).toEqual(expect.arrayContaining(['a', 'b']));
});
