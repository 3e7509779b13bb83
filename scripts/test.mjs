import { spawn } from 'node:child_process';
import { folderInMemory } from './folder-in-memory.mjs';
import { ensureInstalled, ROOT, run } from './install.mjs';

const CHECKS = [
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.', '--error-on-warnings'],
  ['node_modules/typescript/bin/tsc', '--noEmit'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/web'],
];

const node = ensureInstalled();
const only = process.argv.slice(2);
if (only.length === 0) {
  const codes = await Promise.all(CHECKS.map((args) => exitCode(args)));
  const failed = codes.find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
}
const TMPDIR = process.env.TMPDIR ?? folderInMemory();
run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project=core*', ...only], {
  env: TMPDIR === undefined ? process.env : { ...process.env, TMPDIR },
});

/** Checks do not wait for each other. */
function exitCode(args) {
  return new Promise((resolve) => {
    const child = spawn(node, args, { cwd: ROOT, stdio: 'inherit' });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
