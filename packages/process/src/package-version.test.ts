import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { packageVersionNear } from './package-version.ts';
import { temporaryFolder, writeProgram } from './testing.ts';

test('reads the version of the package behind a link, passing over a package.json without one', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'package/dist/bin'), { recursive: true });
  writeFileSync(join(root, 'package/package.json'), '{"version":"1.2.3"}');
  writeFileSync(join(root, 'package/dist/package.json'), '{"type":"module"}');
  const binary = writeProgram(join(root, 'package/dist/bin/agent'), '');
  symlinkSync(binary, join(root, 'agent'));
  expect(packageVersionNear(join(root, 'agent'))).toBe('1.2.3');
});

test('passes over a package.json that is broken', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'inner'));
  writeFileSync(join(root, 'package.json'), '{"version":"1.2.3"}');
  writeFileSync(join(root, 'inner/package.json'), '{');
  expect(packageVersionNear(writeProgram(join(root, 'inner/agent'), ''))).toBe('1.2.3');
});

test('ignores a stray package.json in the home folder for a program below', () => {
  const home = temporaryFolder();
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  writeFileSync(join(home, 'package.json'), '{"version":"9.9.9"}');
  const binary = writeProgram(join(home, '.local/bin/agent'), '');
  expect(packageVersionNear(binary)).toBeUndefined();
});

test('reads the version from the path of a native installer', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'share/claude/versions'), { recursive: true });
  const binary = writeProgram(join(root, 'share/claude/versions/2.1.325'), '');
  symlinkSync(binary, join(root, 'claude'));
  expect(packageVersionNear(join(root, 'claude'))).toBe('2.1.325');
});

test('knows nothing of a binary that does not exist or has no package', () => {
  expect(packageVersionNear(join(temporaryFolder(), 'nothing'))).toBeUndefined();
  expect(packageVersionNear('/bin/sh')).toBeUndefined();
});
