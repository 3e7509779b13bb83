import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInside } from './is-inside.ts';

let base: string;
let folder: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'inside-')));
  folder = join(base, 'project');
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(folder, 'a/file'), '');
  symlinkSync('a', join(folder, 'in'));
  symlinkSync('../outside', join(folder, 'out'));
  symlinkSync('/', join(folder, 'root'));
  symlinkSync('missing/later', join(folder, 'dangling'));
  symlinkSync('loop', join(folder, 'loop'));
  symlinkSync(folder, join(base, 'alias'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const part = fc.constantFrom(
  'a',
  'b',
  'file',
  'in',
  'out',
  'root',
  'dangling',
  'loop',
  'missing',
  'A',
  'project',
  'PROJECT',
  'outside',
  '..',
  '.',
  '',
);
const path = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => `./${parts.join('/')}`);

test('a path that is inside resolves into the folder', () => {
  fc.assert(
    fc.property(path, (relative) => {
      fc.pre(isInside(folder, relative));
      const real = realPathOf(`${folder}/${relative}`);
      if (real !== undefined) expect(real.startsWith(`${folder}/`)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('an existing path that resolves into the folder either way is inside', () => {
  fc.assert(
    fc.property(path, (relative) => {
      const ways = [realPathOf(`${folder}/${relative}`), realPathOf(join(folder, relative))];
      const isIn = ways.every((real) => real?.startsWith(`${folder}/`));
      if (isIn) expect(isInside(folder, relative)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('a folder behind a link contains the same paths', () => {
  fc.assert(
    fc.property(path, (relative) => {
      expect(isInside(join(base, 'alias'), relative)).toBe(isInside(folder, relative));
    }),
  );
});

test('a folder that contains another contains all that is in it', () => {
  fc.assert(
    fc.property(path, (relative) => {
      if (isInside(folder, join(folder, relative))) {
        expect(isInside(base, join(folder, relative))).toBe(true);
      }
    }),
  );
});

test('a path with NUL or a leading tilde is never inside', () => {
  fc.assert(
    fc.property(path, path, (before, after) => {
      expect(isInside(folder, `${before}\0${after}`)).toBe(false);
      expect(isInside(`${folder}\0${after}`, before)).toBe(false);
      expect(isInside(folder, `~${after}`)).toBe(false);
    }),
  );
});

test('a name in another case is another folder', () => {
  expect(isInside(folder, join(base, 'PROJECT/a'))).toBe(false);
  expect(isInside(folder, join(folder, 'A/new'))).toBe(true);
});

test('the folder itself is inside only when the caller says so', () => {
  for (const itself of ['', '.', 'a/..', folder]) {
    expect(isInside(folder, itself)).toBe(false);
    expect(isInside(folder, itself, { orEqual: true })).toBe(true);
  }
});

test('a missing parent, in the folder or of it, is no escape', () => {
  expect(isInside(folder, 'missing/deep/new')).toBe(true);
  expect(isInside(folder, 'missing/../../outside/new')).toBe(false);
  expect(isInside(join(base, 'gone'), 'new')).toBe(true);
  expect(isInside(join(base, 'gone'), '../project/a')).toBe(false);
});

test('everything is inside the root', () => {
  expect(isInside('/', folder)).toBe(true);
  expect(isInside('/', '/')).toBe(false);
});

test('in doubt, a check that rejects what is inside considers every reading', () => {
  const refuses = (path: string) => isInside(folder, path, { inDoubt: true });
  for (const path of ['out', 'out/../a', 'loop/x', 'a\0b', '~/x', 'root/etc']) {
    expect(refuses(path)).toBe(true);
  }
  expect(refuses(join(base, 'alias/a'))).toBe(true);
  expect(refuses(join(base, 'outside/a'))).toBe(false);
  fc.assert(
    fc.property(path, (relative) => {
      if (isInside(folder, relative)) expect(refuses(relative)).toBe(true);
    }),
  );
});

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
