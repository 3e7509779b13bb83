import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);

/** What each example must print. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  'stream.ts': /^This is the demo[\s\S]*\[ok\] write[\s\S]*done in \d+ ms/,
  'stop.ts': /^before: process (\d+) runs\nafter: {2}process \1 is gone\ncancelled stopped/,
  'structured.ts': /done \{ name: 'Ada', age: 36 \}/,
  'conversation.ts': /the same session: true/,
};

describe('the examples', () => {
  const examples = globSync('*.ts', { cwd: import.meta.dirname }).filter(
    (name) => !name.endsWith('.test.ts'),
  );

  test('are all known here', () => {
    expect(examples.sort()).toEqual(Object.keys(PRINTS).sort());
  });

  test.for(Object.entries(PRINTS))('%s works', async ([name, prints]) => {
    const cwd = mkdtempSync(join(tmpdir(), 'example-'));
    const env = { ...process.env, BATON_DEMO_PACE: '0' };
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, name)], { cwd, env });
    rmSync(cwd, { recursive: true, force: true });
    expect(stdout).toMatch(prints);
  });
});
