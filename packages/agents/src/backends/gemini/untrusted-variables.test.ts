import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { geminiBackend } from '../../testing/built-in-backends.ts';

let home: string;
let cwd: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'gemini-variables-')));
  cwd = join(home, 'projects/one/package');
  mkdirSync(cwd, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Starts nothing: the program does not exist. */
function start(more: object): void {
  const backend = geminiBackend({ binary: '/nowhere/gemini' });
  const run = backend.run({ prompt: 'Hello', cwd, env: { HOME: home }, ...more });
  run.result.catch(() => {});
}

describe('a file of variables in a folder that nobody trusted', () => {
  test.each(['.env', '../.env', '../../.env'])('is not loaded through print: %s', (path) => {
    writeFileSync(join(cwd, path), 'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\n');
    for (const way of [{ transport: 'print' }, { mode: 'print' }]) {
      for (const permissionMode of ['ask', 'allow-all']) {
        const options = { ...way, permissionMode };
        expect(() => start(options)).toThrow(expect.objectContaining({ code: 'trust_required' }));
        expect(() => start({ ...options, trusted: true })).not.toThrow();
      }
    }
    // Over ACP Gemini CLI is told not to trust the folder.
    expect(() => start({ transport: 'live' })).not.toThrow();
  });

  test("does not matter where it is the user's own", () => {
    writeFileSync(join(home, '.env'), 'GEMINI_API_KEY=x\n');
    expect(() => start({ transport: 'print' })).not.toThrow();
  });
});
