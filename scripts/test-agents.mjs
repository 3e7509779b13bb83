import { installAgents } from '../testbed/install.mjs';
import { ensureInstalled, run } from './install.mjs';

const node = ensureInstalled();
await installAgents();
// BATON_TEST_AGENTS=claude,codex narrows the run to the tests of these agents.
const wanted = (process.env.BATON_TEST_AGENTS ?? '').split(',').filter((name) => name !== '');
const paths = wanted.map((name) => `backends/${name.trim()}/`);
run(node, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project=agents',
  ...paths,
  ...process.argv.slice(2),
]);
