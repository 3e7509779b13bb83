import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentEnvironment } from '../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../testbed/fake-model/index.ts';
import { codeBlocks } from './docs-blocks.ts';
import { runBlock } from './run-docs-block.ts';

describe('the documentation, with the real agents', () => {
  const home = mkdtempSync(join(tmpdir(), 'docs-home-'));
  let model: FakeModel;

  beforeAll(async () => {
    model = await startFakeModel();
  });

  afterAll(async () => {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  });

  for (const block of codeBlocks().filter(({ suite }) => suite === 'agents')) {
    test(`${block.page}:${block.line} works as written`, async () => {
      const env = {
        ...(await agentEnvironment('claude', model, home)),
        ...(await agentEnvironment('codex', model, home)),
      };
      const PATH = [installed(home), process.env.PATH].join(delimiter);
      const { exit, output } = await runBlock(block, { ...env, PATH });
      expect(`exit ${exit}`, output).toBe(`exit ${block.exit}`);
    });
  }
});

/** A folder with the agents as a user has them: what lies in the repository around a workspace is not used. */
function installed(home: string): string {
  const folder = join(home, 'bin');
  mkdirSync(folder, { recursive: true });
  const programs = join(import.meta.dirname, '../testbed/node_modules/.bin');
  for (const name of ['claude', 'codex']) {
    const script = `#!/bin/sh\nexec '${join(programs, name)}' "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  return folder;
}
