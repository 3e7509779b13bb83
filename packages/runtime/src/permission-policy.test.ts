import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Action, PERMISSION_MODES } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedByMode } from './permission-policy.ts';

let base: string;
let folder: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'policy-')));
  folder = join(base, 'project');
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(base, 'project-two'));
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside', 'secret.txt'), '');
  symlinkSync(join(base, 'outside'), join(folder, 'link-out'));
  symlinkSync(join(base, 'outside', 'secret.txt'), join(folder, 'file-out'));
  symlinkSync(join(base, 'outside', 'not-there-yet.txt'), join(folder, 'dangling-out'));
  symlinkSync('../outside/not-there-yet.txt', join(folder, 'relative-out'));
  symlinkSync('dangling-out', join(folder, 'link-to-link-out'));
  symlinkSync('loop-b', join(folder, 'loop-a'));
  symlinkSync('loop-a', join(folder, 'loop-b'));
  symlinkSync('src', join(folder, 'link-in'));
  symlinkSync('src/deep', join(folder, 'deep-in'));
  symlinkSync('src/not-there-yet.ts', join(folder, 'dangling-in'));
  symlinkSync(folder, join(base, 'alias'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function edit(path: string, newPath?: string): Action {
  return { type: 'file.edit', changes: [{ path, kind: newPath ? 'rename' : 'edit', newPath }] };
}

/** Whether `auto` lets an edit of a path in the project pass. */
function passes(path: string, cwd = folder): boolean {
  return allowedByMode('auto', { action: edit(path) }, cwd);
}

describe('auto lets edits in the folder pass', () => {
  test.each([
    'a.txt',
    './a.txt',
    'src/a.ts',
    'src/new/deep/b.ts',
    'src/../a.txt',
    '..a.txt',
    '...',
    'link-in/a.ts',
    'dangling-in',
    'with space.txt',
  ])('%s', (path) => {
    expect(passes(path)).toBe(true);
    expect(passes(join(folder, path))).toBe(true);
  });

  test('also when the folder is reached through a link', () => {
    expect(passes('a.txt', join(base, 'alias'))).toBe(true);
    expect(passes(join(folder, 'a.txt'), join(base, 'alias'))).toBe(true);
    expect(passes(join(base, 'alias', 'a.txt'))).toBe(true);
  });

  test('also a rename inside it', () => {
    expect(allowedByMode('auto', { action: edit('a.txt', 'src/b.txt') }, folder)).toBe(true);
  });
});

describe('auto asks before an edit leaves the folder', () => {
  test.each([
    ['the folder itself', '.'],
    ['the folder itself, by no name', ''],
    ['the folder above', '..'],
    ['a file above', '../a.txt'],
    ['a file above, the long way', 'src/../../a.txt'],
    ['a neighbour whose name begins alike', '../project-two/a.txt'],
    ['a file of the system', '/etc/hosts'],
    ['a file in the home folder', '~/.profile'],
    ['a file in the home folder of another', '~other/.profile'],
    ['a folder behind a link', 'link-out/new.txt'],
    ['a file behind a link', 'file-out'],
    ['a file that does not exist yet, behind a link', 'dangling-out'],
    ['the same through a relative link', 'relative-out'],
    ['the same through two links', 'link-to-link-out'],
    ['links that go in a circle', 'loop-a'],
    ['something below a circle', 'loop-a/x.txt'],
    ['a file that is outside only for those who follow links first', 'link-out/../a.txt'],
    ['a file that is inside only for those who follow links first', 'deep-in/../../a.txt'],
  ])('%s', (_name, path) => {
    expect(passes(path)).toBe(false);
  });

  test('when one of several changes does', () => {
    const changes = [
      { path: 'a.txt', kind: 'edit' as const },
      { path: '../b.txt', kind: 'add' as const },
    ];
    expect(allowedByMode('auto', { action: { type: 'file.edit', changes } }, folder)).toBe(false);
  });

  test('when a rename leads out of it, or into it', () => {
    expect(allowedByMode('auto', { action: edit('a.txt', '../a.txt') }, folder)).toBe(false);
    expect(allowedByMode('auto', { action: edit('../a.txt', 'a.txt') }, folder)).toBe(false);
  });

  test('when it is not known what changes', () => {
    expect(allowedByMode('auto', { action: { type: 'file.edit', changes: [] } }, folder)).toBe(
      false,
    );
  });
});

const others: Action[] = [
  { type: 'command', command: 'ls' },
  { type: 'fetch', url: 'https://example.org' },
  { type: 'mcp', server: 's', tool: 't' },
  { type: 'file.read', path: '/etc/hosts' },
  { type: 'other' },
];

test.each(others)('auto asks before $type', (action) => {
  expect(allowedByMode('auto', { action }, folder)).toBe(false);
});

test('ask always asks, allow-all never does', () => {
  for (const action of [...others, edit('a.txt'), edit('/etc/hosts')]) {
    const answers = PERMISSION_MODES.map((mode) => allowedByMode(mode, { action }, folder));
    expect(answers[0]).toBe(false);
    expect(answers[2]).toBe(true);
  }
});
