import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';

type Chunk = { file: string; imports?: string[]; css?: string[]; isDynamicEntry?: boolean };

const PAGE = join(dirname(inject('baton')), 'page');
const MANIFEST: Record<string, Chunk> = JSON.parse(
  readFileSync(join(PAGE, 'manifest.json'), 'utf8'),
);
const MOST_BYTES = 250 * 1024;

/** The views that people open all day; everything else may come later. */
const VIEWS = ['src/board/board.tsx', 'src/session/session-view.tsx'];

/** Every file that a browser has to load for some entries, and for whatever those import at once. */
function filesOf(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = MANIFEST[name];
    if (seen.has(name) || !chunk) return;
    seen.add(name);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const each of chunk.imports ?? []) visit(each);
  };
  for (const name of names) visit(name);
  return files;
}

test('the board and a session load less than 250 KB, compressed', () => {
  // A view that is not there as a part of its own is in the first file.
  const files = filesOf(['index.html', ...VIEWS]);
  const sizes = [...files].map((file) => readFileSync(join(PAGE, `${file}.gz`)).length);
  expect(sizes.length).toBeGreaterThan(1);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThan(MOST_BYTES);
});

test('nothing of the page comes from anywhere else', () => {
  const start = readFileSync(join(PAGE, 'index.html'), 'utf8');
  const addresses = [...start.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThan(2);
  for (const address of addresses) expect(address).toMatch(/^\/app\//);
});
