import { ensureInstalled, run } from './install.mjs';

const node = ensureInstalled();
run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project=long', ...process.argv.slice(2)], {
  env: { ...process.env, BATON_LONG: '1' },
});
