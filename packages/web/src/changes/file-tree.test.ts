import { expect, test } from 'vitest';
import { treeRows } from './file-tree.ts';

const FILES = ['README.md', 'src/deep/down/a.ts', 'src/deep/down/b.ts', 'src/z.ts'].map((path) => ({
  path,
}));

test('files are below their folders, and folders with a single folder are joined', () => {
  expect(shown(treeRows(FILES))).toEqual([
    'README.md',
    'src (3)',
    '  deep/down (2)',
    '    a.ts',
    '    b.ts',
    '  z.ts',
  ]);
});

test('a closed folder hides what is in it', () => {
  expect(shown(treeRows(FILES, new Set(['src/deep/down'])))).toEqual([
    'README.md',
    'src (3)',
    '  deep/down (2)',
    '  z.ts',
  ]);
});

function shown(rows: ReturnType<typeof treeRows>): string[] {
  return rows.map((row) => {
    const words = row.kind === 'folder' ? `${row.name} (${row.count})` : row.name;
    return '  '.repeat(row.depth) + words;
  });
}
