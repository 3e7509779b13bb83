import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { copySources, doorFile, internalPackages, publishedManifest } from './internal-packages.ts';

let packages: string;

beforeEach(() => {
  packages = mkdtempSync(join(tmpdir(), 'baton-internal-'));
  onTestFinished(() => rmSync(packages, { recursive: true }));
  plant('face', {
    'package.json': manifest({ '@baton/public': '1', '@baton/inner': '1' }),
    'src/index.ts': `export { a } from '@baton/inner';\nexport const b = () => import('@baton/inner/parts/deep');\n`,
    'src/index.test.ts': 'not published',
  });
  plant('inner', {
    'package.json': manifest(
      { '@baton/lowest': '1', diff: '9' },
      { '.': './src/index.ts', './parts/*': './src/parts/*.ts' },
    ),
    'src/index.ts': `import { p } from '@baton/public';\nexport const a = p;\n`,
    'src/parts/deep.ts': `export * from '@baton/lowest';\n`,
    'src/testing/world.ts': 'not published',
  });
  plant('lowest', {
    'package.json': manifest({ ajv: '8' }, { '.': './src/index.ts' }),
    'src/index.ts': 'export const c = 1;\n',
  });
});

test('finds internal packages behind internal packages, and no public ones', () => {
  expect(internalPackages(packages, 'face', ['face', 'public'])).toEqual(['inner', 'lowest']);
});

test('copies internal packages without tests and makes imports of them relative', () => {
  const to = join(packages, 'copy');
  copySources(packages, 'face', ['inner', 'lowest'], to);
  const read = (file: string) => readFileSync(join(to, file), 'utf8');
  expect(read('index.ts')).toBe(
    `export { a } from './inner/index.ts';\nexport const b = () => import('./inner/parts/deep.ts');\n`,
  );
  expect(read('inner/index.ts')).toContain(`from '@baton/public'`);
  expect(read('inner/parts/deep.ts')).toBe(`export * from '../../lowest/index.ts';\n`);
  expect(() => read('index.test.ts')).toThrow('ENOENT');
  expect(() => read('inner/testing/world.ts')).toThrow('ENOENT');
});

test('refuses an import that is not an entry of the internal package', () => {
  const exports = { '.': './src/index.ts', './parts/*': './src/parts/*.ts' };
  expect(doorFile({ exports }, './parts/x')).toBe('./src/parts/x.ts');
  expect(() => doorFile({ name: 'inner', exports }, './secret')).toThrow(
    'inner has no entry ./secret.',
  );
});

test('publishes the dependencies of internal packages instead of these packages', () => {
  const { dependencies } = publishedManifest(packages, 'face', ['inner', 'lowest']);
  expect(dependencies).toEqual({ '@baton/public': '1', ajv: '8', diff: '9' });
});

function plant(name: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(packages, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function manifest(dependencies: Record<string, string>, exports = {}): string {
  return JSON.stringify({ exports, dependencies });
}
