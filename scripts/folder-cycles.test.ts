import { expect, test } from 'vitest';
import { closingImports } from './folder-cycles.ts';

test('folders that import in one direction close no cycle', () => {
  expect(
    closingImports([
      ['index.ts', 'view/page.ts'],
      ['view/page.ts', 'view/parts/part.ts'],
      ['view/page.ts', 'data/rows.ts'],
      ['data/rows.ts', 'data/query.ts'],
      ['data/query.ts', 'data/rows.ts'],
    ]),
  ).toEqual([]);
});

test('names the import to change, and the way back', () => {
  expect(
    closingImports([
      ['view/page.ts', 'data/rows.ts'],
      ['view/list.ts', 'data/rows.ts'],
      ['data/rows.ts', 'text/words.ts'],
      ['data/query.ts', 'text/words.ts'],
      ['text/words.ts', 'view/page.ts'],
    ]),
  ).toEqual(['text/words.ts imports view/page.ts (text/ → view/ → data/ → text/)']);
});

test('a folder that imports its subfolder is not imported by it', () => {
  const down = ['view/page.ts', 'view/parts/part.ts'] as const;
  expect(closingImports([down, ['view/parts/part.ts', 'view/words.ts']])).toEqual([
    'view/parts/part.ts imports view/words.ts (view/parts/ → view/ → view/parts/)',
  ]);
});

test('subfolders count for their folder', () => {
  expect(
    closingImports([
      ['view/parts/part.ts', 'data/rows.ts'],
      ['data/query.ts', 'view/page.ts'],
    ]),
  ).toHaveLength(1);
});

test('a file beside the folders can close a cycle between folders', () => {
  expect(
    closingImports([
      ['shell/shell.ts', 'views.ts'],
      ['views.ts', 'board/board.ts'],
      ['board/board.ts', 'shell/title.ts'],
    ]),
  ).toHaveLength(1);
});

test('files beside the folders may import each other', () => {
  expect(
    closingImports([
      ['client.ts', 'launch.ts'],
      ['launch.ts', 'client.ts'],
      ['launch.ts', 'data/rows.ts'],
    ]),
  ).toEqual([]);
});
