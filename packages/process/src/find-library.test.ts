import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { findLibrary } from './find-library.ts';
import { temporaryFolder } from './testing.ts';

/** A name that is installed nowhere. */
const NAME = '@baton-test/agent';
const SEARCH = { id: 'test-agent', packages: [NAME, '@baton-test/older'], envVar: 'TEST_AGENT' };

function place() {
  const root = temporaryFolder();
  const home = join(root, 'home');
  const cwd = join(root, 'work');
  mkdirSync(cwd, { recursive: true });
  return {
    root,
    add(folder: string, name = NAME, exports: unknown = './main.js') {
      const path = join(root, folder, name);
      mkdirSync(path, { recursive: true });
      const content = { name, version: '1.2.3', exports };
      writeFileSync(join(path, 'package.json'), JSON.stringify(content));
      writeFileSync(join(path, 'main.js'), '');
      return path;
    },
    find: (env: Record<string, string> = {}, explicit?: string) =>
      findLibrary(
        { ...SEARCH, ...(explicit ? { explicit } : {}) },
        { cwd, home, env: { PATH: join(root, 'usr/bin'), ...env } },
      ),
  };
}

function failure(act: () => unknown): BatonError {
  try {
    act();
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('It did not fail.');
}

test('finds what npm installed for all programs, and what Baton installed before it', () => {
  const { add, find } = place();
  const global = add('usr/lib/node_modules');
  const found = { name: NAME, version: '1.2.3', folder: global, entry: join(global, 'main.js') };
  expect(find()).toEqual(found);
  const own = add('home/.baton/agents/test-agent/node_modules');
  expect(find().folder).toBe(own);
});

test('prefers the first package of the list', () => {
  const { add, find } = place();
  const older = add('usr/lib/node_modules', '@baton-test/older');
  expect(find().folder).toBe(older);
  expect(find().folder).not.toBe(add('usr/lib/node_modules'));
  expect(find().name).toBe(NAME);
});

test('does not use a package of the workspace', () => {
  const { root, add, find } = place();
  add('work/node_modules');
  add('work/lib/node_modules');
  const error = failure(() => find({ PATH: join(root, 'work/bin') }));
  expect(error.code).toBe('backend_not_found');
  expect(error.hint).toBe(
    'Run "baton backends install test-agent", or set TEST_AGENT to its folder.',
  );
});

test('takes the folder that the user names, and complains about it rather than searching', () => {
  const { add, find } = place();
  add('usr/lib/node_modules');
  const named = add('elsewhere');
  expect(find({}, named).folder).toBe(named);
  expect(find({ TEST_AGENT: named }).folder).toBe(named);
  const error = failure(() => find({ TEST_AGENT: '/nowhere' }));
  expect(error.message).toBe('TEST_AGENT: /nowhere is not the folder of an npm package.');
});

test.each([
  ['a string', './main.js'],
  ['conditions', { import: './main.js', types: './main.d.ts' }],
  [
    'a main entry with conditions',
    { '.': { types: './x.d.ts', import: { default: './main.js' } } },
  ],
])('reads the entry of a package from %s', (_what, exports) => {
  const { add, find } = place();
  const folder = add('usr/lib/node_modules', NAME, exports);
  expect(find().entry).toBe(join(folder, 'main.js'));
});
