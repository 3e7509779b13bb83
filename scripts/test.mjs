import { ensureInstalled, run } from './install.mjs';

const node = ensureInstalled();
const only = process.argv.slice(2);
if (only.length === 0) {
  run(node, ['node_modules/@biomejs/biome/bin/biome', 'check', '.', '--error-on-warnings']);
  run(node, ['node_modules/typescript/bin/tsc', '--noEmit']);
  run(node, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/web']);
}
run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project=core*', ...only]);
