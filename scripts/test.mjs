import { exitCode } from './exit-code.mjs';
import { folderInMemory } from './folder-in-memory.mjs';
import { ensureInstalled } from './install.mjs';

const CHECKS = [
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.', '--error-on-warnings'],
  ['node_modules/typescript/bin/tsc', '--noEmit'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/web'],
];

const node = ensureInstalled();
const only = process.argv.slice(2);
if (only.length === 0) {
  // They do not wait for each other.
  const codes = await Promise.all(CHECKS.map((args) => exitCode(node, args)));
  const failed = codes.find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
}
const TMPDIR = process.env.TMPDIR ?? folderInMemory();
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=core*', ...only];
const env = TMPDIR === undefined ? process.env : { ...process.env, TMPDIR };
process.exit(await exitCode(node, vitest, { env }));
