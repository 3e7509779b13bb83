import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const CODE = '{packages,bench,chaos,e2e,examples,scripts,testbed}/**/*.{ts,tsx,mts,mjs}';
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm;

/** Exports that no other file mentions, as `file: name`. */
function unusedExports(files: ReadonlyMap<string, string>): string[] {
  const users = new Map<string, number>();
  for (const text of files.values()) {
    for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  }
  return [...files].flatMap(([file, text]) => {
    if (!/^packages\/[^/]+\/src\//.test(file)) return [];
    const names = [...text.matchAll(EXPORT)].map(([, name = '']) => name);
    return names.filter((name) => users.get(name) === 1).map((name) => `${file}: ${name}`);
  });
}

test('finds exports that no other file mentions', () => {
  const files = new Map([
    ['packages/a/src/one.ts', 'export const used = 1;\nexport type Unused = 1;\nconst own = 2;'],
    ['packages/a/src/two.ts', "import { used } from './one.ts';\nexport async function alone() {}"],
  ]);
  const found = ['packages/a/src/one.ts: Unused', 'packages/a/src/two.ts: alone'];
  expect(unusedExports(files)).toEqual(found);
});

test('every export of a package is used by another file', () => {
  const paths = globSync(CODE, {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
  });
  const texts = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  expect(unusedExports(texts)).toEqual([]);
});
