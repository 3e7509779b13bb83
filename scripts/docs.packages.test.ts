import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';
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

  for (const block of codeBlocks().filter(({ suite }) => suite === 'daemon')) {
    test(`${block.page}:${block.line} works as written, with a daemon`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'docs-daemon-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const daemon = await serveIn(folder);
      const env = { BATON_URL: daemon.url, BATON_TOKEN: await login(daemon) };
      const { exit, output } = await runBlock(block, env);
      expect(`exit ${exit}`, output).toBe(`exit ${block.exit}`);
    });
  }
});
