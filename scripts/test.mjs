import { exitCode } from './exit-code.mjs';
import { ensureInstalled } from './install.mjs';
import { runVitest } from './run-vitest.mjs';

const CHECKS = [
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.', '--error-on-warnings'],
  ['node_modules/typescript/bin/tsc', '--noEmit'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/web'],
];

const node = ensureInstalled();
const only = process.argv.slice(2);
const checked = only.length === 0 ? await check() : 0;
// In CI one run shows everything.
if (checked !== 0 && !process.env.CI) process.exit(checked);
process.exit((await runVitest(['--project=core*', ...only])) || checked);

async function check() {
  // They do not wait for each other.
  const codes = await Promise.all(CHECKS.map((args) => exitCode(node, args)));
  return codes.find((code) => code !== 0) ?? 0;
}
