import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = pathToFileURL(join(import.meta.dirname, 'install.mjs'));
const A = { version: '1.0.0', resolved: 'https://registry.example/a.tgz', integrity: 'sha512-a' };
const LINK = { resolved: 'packages/b', link: true };
const OTHER_SYSTEM = { version: '1.0.0', optional: true, os: ['none'] };
const WANTED = {
  '': {},
  'packages/b': { version: '1.0.0' },
  'node_modules/a': A,
  'node_modules/b': LINK,
  'node_modules/other': OTHER_SYSTEM,
};
const { '': _root, 'node_modules/other': _other, ...INSTALLED } = WANTED;

test('packages that npm has installed are not installed again', () => {
  expect(isInstalled(WANTED, INSTALLED)).toBe(true);
  expect(isInstalled(WANTED, { ...INSTALLED, 'node_modules/other': OTHER_SYSTEM })).toBe(true);
});

test.each<[string, object | undefined]>([
  ['nothing is installed', undefined],
  ['a package is missing', { ...INSTALLED, 'node_modules/a': undefined }],
  ['a package has another version', { ...INSTALLED, 'node_modules/a': { ...A, version: '2.0.0' } }],
  ['a package has other content', { ...INSTALLED, 'node_modules/a': { ...A, integrity: 'x' } }],
  ['a package has another command', { ...INSTALLED, 'node_modules/a': { ...A, bin: { a: 'a' } } }],
  ['a package is no longer wanted', { ...INSTALLED, 'node_modules/old': A }],
])('packages are installed when %s', (_when, installed) => {
  expect(isInstalled(WANTED, installed)).toBe(false);
});

function isInstalled(wanted: object, installed: object | undefined): boolean {
  const root = mkdtempSync(join(tmpdir(), 'baton-install-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  const listed = join(root, 'node_modules/.package-lock.json');
  if (installed) writeFileSync(listed, JSON.stringify({ packages: installed }));
  const program = `import { isInstalled } from ${JSON.stringify(SCRIPT)};
    console.log(isInstalled(${JSON.stringify(root)}))`;
  const args = ['--input-type=module', '-e', program];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim() === 'true';
}
