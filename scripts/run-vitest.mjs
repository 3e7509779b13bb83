import { exitCode } from './exit-code.mjs';
import { folderInMemory } from './folder-in-memory.mjs';
import { ensureInstalled } from './install.mjs';

/** Runs tests on the right Node, with their files in memory where there is room, and gives the exit code. */
export function runVitest(args, { node = ensureInstalled(), env = {} } = {}) {
  const TMPDIR = process.env.TMPDIR ?? folderInMemory();
  const all = { ...process.env, ...env, ...(TMPDIR && { TMPDIR }) };
  return exitCode(node, ['node_modules/vitest/vitest.mjs', 'run', ...args], { env: all });
}
