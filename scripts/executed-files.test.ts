import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Raise it only for a file that every run needs. What some runs need is loaded with `import()`. */
const MAX_LOADED = 242;

test('a run in a Git folder loads no more files than it did', () => {
  const home = mkdtempSync(join(tmpdir(), 'executed-files-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  execFileSync('git', ['init', '--quiet'], { cwd: home });
  const script = join(import.meta.dirname, 'executed-files.ts');
  const args = [script, 'run', '--backend', 'demo', 'demo:script [{"say":"Hi."}]'];
  const env = { PATH: process.env.PATH, HOME: home };
  const told = execFileSync(process.execPath, args, { cwd: home, env, encoding: 'utf8' });
  const [, exit, loaded] = /exit (\d+): (\d+) files loaded/.exec(told) ?? [];
  expect(exit).toBe('0');
  expect(Number(loaded)).toBeLessThanOrEqual(MAX_LOADED);
});
