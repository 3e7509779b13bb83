import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBinary } from '../../../../process/src/find-binary.ts';
import { temporaryFolder, writeProgram } from '../../../../process/src/testing.ts';
import { nativeBinary } from './native-binary.ts';

const LAUNCHER = 'node_modules/@openai/codex/bin/codex.js';
const PLATFORM_PACKAGE = `@openai/codex-${process.platform}-${process.arch}`;
const triples: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};
const BINARY = `vendor/${triples[`${process.platform}-${process.arch}`]}/bin/codex`;

describe('the native codex', () => {
  test.each([
    ['next to its launcher', `node_modules/${PLATFORM_PACKAGE}/${BINARY}`],
    [
      'inside the package of its launcher',
      `node_modules/@openai/codex/node_modules/${PLATFORM_PACKAGE}/${BINARY}`,
    ],
    ['in the very package of its launcher', `node_modules/@openai/codex/${BINARY}`],
  ])('is found %s', (_, path) => {
    const root = temporaryFolder();
    const launcher = add(root, LAUNCHER);
    expect(nativeBinary(launcher)).toBeUndefined();
    const native = add(root, path);
    expect(nativeBinary(launcher)).toBe(native);
  });

  test('is found in a parent folder, as in a workspace', () => {
    const root = temporaryFolder();
    const native = add(root, `node_modules/${PLATFORM_PACKAGE}/${BINARY}`);
    expect(nativeBinary(add(root, `app/${LAUNCHER}`))).toBe(native);
  });

  test('is not looked for behind another program', () => {
    const root = temporaryFolder();
    add(root, `node_modules/${PLATFORM_PACKAGE}/${BINARY}`);
    expect(nativeBinary(add(root, 'node_modules/codex/bin/codex.js'))).toBeUndefined();
    expect(nativeBinary(add(root, 'bin/codex'))).toBeUndefined();
  });

  test('is found from the link that npm puts into .bin', () => {
    const root = temporaryFolder();
    const launcher = add(root, LAUNCHER);
    const native = add(root, `node_modules/${PLATFORM_PACKAGE}/${BINARY}`);
    const link = join(root, 'node_modules/.bin/codex');
    mkdirSync(dirname(link));
    symlinkSync(launcher, link);
    const search = { name: 'codex', nativeOf: nativeBinary };
    const env = { PATH: dirname(link) };
    expect(findBinary(search, { cwd: temporaryFolder(), env, home: '/nowhere' })).toEqual({
      path: native,
      via: 'PATH',
      launcher: link,
      skipped: [],
    });
  });
});

function add(root: string, path: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  return writeProgram(file, '#!/bin/sh\n');
}
