import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveLinks } from './resolve-links.ts';

let base: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'links-')));
  mkdirSync(join(base, 'a/b'), { recursive: true });
  writeFileSync(join(base, 'a/b/file'), '');
  symlinkSync('a/b', join(base, 'to-b'));
  symlinkSync(join(base, 'a'), join(base, 'a/b/up'));
  symlinkSync('me', join(base, 'me'));
  // Each link doubles the way; followed to the end it would take longer than anybody waits.
  for (let n = 1; n < 60; n += 1)
    symlinkSync(`bomb${n + 1}/../bomb${n + 1}`, join(base, `bomb${n}`));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test.each(['a/b/file', 'to-b/file', 'to-b/up/b/file', 'a/../to-b/./file', 'a/b/up/b/up/b'])(
  '%s leads where the system says',
  (path) => {
    expect(resolveLinks(base, path)).toBe(realpathSync.native(`${base}/${path}`));
    expect(resolveLinks('/', `${base}/${path}`)).toBe(realpathSync.native(`${base}/${path}`));
  },
);

test('.. after a link is the folder above its target', () => {
  expect(resolveLinks(base, 'to-b/../new')).toBe(join(base, 'a/new'));
});

test('a path that does not exist is followed as far as it does', () => {
  expect(resolveLinks(base, 'to-b/x/y')).toBe(join(base, 'a/b/x/y'));
});

test('the root has nothing above it', () => {
  expect(resolveLinks('/', '../../..')).toBe('/');
});

test('links that go in a circle, or on and on, lead nowhere', () => {
  expect(resolveLinks(base, 'me')).toBeUndefined();
  expect(resolveLinks(base, 'bomb1')).toBeUndefined();
});
