import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { thirdPartyNotices } from './third-party-notices.ts';

const root = mkdtempSync(join(tmpdir(), 'notices-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Installs a package and returns the id of a module of it. */
function installed(name: string, license: string | undefined, files: Record<string, string> = {}) {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.stringify({ name, version: '1.0.0', license });
  for (const [file, text] of Object.entries({ 'package.json': manifest, ...files })) {
    writeFileSync(join(folder, file), text);
  }
  return join(folder, 'lib/index.js');
}

test('each bundled package has its licence text once, and nothing else has one', () => {
  const own = join(root, 'packages/cli/src/main.ts');
  const bird = installed('@birds/duck', 'ISC', { 'LICENSE.md': 'Ducks may be copied.' });
  const cat = installed('cat', 'BSD', { LICENSE: 'So may cats.', NOTICE: 'Cats bite.' });
  const [title, ...notices] = thirdPartyNotices([cat, own, bird, bird]).split(/\n-+\n/);
  expect(title).toContain('Baton includes');
  expect(notices).toEqual([
    '@birds/duck 1.0.0 (ISC)\n\nDucks may be copied.\n',
    'cat 1.0.0 (BSD)\n\nSo may cats.\n\nCats bite.\n',
  ]);
});

test('a package under MIT without a licence file gets its terms, and the holder from its README', () => {
  const readme = '# Dog\n\nWoof.\n\n## License\n\nMIT, Copyright (c) Ada\n';
  const dog = thirdPartyNotices([installed('dog', 'MIT', { 'README.md': readme })]);
  expect(dog).toMatch(/Copyright \(c\) Ada\n\nPermission is hereby granted/);
  expect(dog).not.toContain('Woof');
});

test('a package with unknown terms is not bundled', () => {
  expect(() => thirdPartyNotices([installed('fox', undefined)])).toThrow('fox is to be bundled');
});
