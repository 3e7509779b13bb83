import { describe, expect, test } from 'vitest';
import { codeBlocks, SUITES } from './docs-blocks.ts';
import { runBlock } from './run-docs-block.ts';

describe('the documentation', () => {
  test('tags every code block with the suite that runs it', () => {
    const untagged = codeBlocks()
      .filter(({ language }) => language !== 'text')
      .filter(({ suite }) => !(SUITES as readonly (string | undefined)[]).includes(suite));
    expect(untagged.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });

  for (const block of codeBlocks().filter(({ suite }) => suite === 'core')) {
    test.concurrent(`${block.page}:${block.line} works as written`, async () => {
      const { exit, output } = await runBlock(block);
      expect(`exit ${exit}`, output).toBe(`exit ${block.exit}`);
    });
  }
});
