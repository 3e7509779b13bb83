import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, continueBlocks } from './blocks.ts';

const line = fc.constantFrom(
  '# Title\n',
  'Some words\n',
  '\n',
  '- item\n',
  '  - inner\n',
  '1. one\n',
  '```js\n',
  'let x = 1;\n',
  '```\n',
  '| a | b |\n',
  '|---|---|\n',
  '| 1 | 2 |\n',
  '> quote\n',
  '<b>html</b>\n',
  '    indented\n',
);

test('a growing text has the same blocks as the complete one', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      (lines, step) => {
        const text = lines.join('');
        let blocks: Block[] = [];
        for (let end = step; end < text.length + step; end += step) {
          blocks = continueBlocks(blocks, text.slice(0, end));
        }
        expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
      },
    ),
  );
});

test('finished blocks are not parsed again', () => {
  const text = '# One\n\nTwo\n\nThree\n\nFour';
  const before = continueBlocks([], text);
  const after = continueBlocks(before, `${text} and five`);
  expect(after[0]).toBe(before[0]);
  expect(after.at(-1)).toMatchObject({ raw: 'Four and five', token: { type: 'paragraph' } });
});

test('a replaced text is parsed from the beginning', () => {
  const before = continueBlocks([], '# One\n\nTwo\n\nThree\n\nFour');
  const other = '# Six\n\nTwo\n\nThree\n\nFour and more';
  expect(continueBlocks(before, other)).toEqual(continueBlocks([], other));
});
