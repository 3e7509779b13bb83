import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAgents, oldestAgents } from '../testbed/install.mjs';
import { ensureInstalled, ROOT, run } from './install.mjs';

// BATON_TEST_AGENTS=claude,codex narrows the run to the tests of these agents.
const wanted = (process.env.BATON_TEST_AGENTS ?? '').split(',').filter((name) => name !== '');
const folders = wanted.map((name) => `backends/${name.trim()}/`);
const missing = folders.find((folder) => !existsSync(join(ROOT, 'packages/runtime/src', folder)));
if (missing) {
  console.error(
    `BATON_TEST_AGENTS: there is no packages/runtime/src/${missing}; try claude,codex.`,
  );
  process.exit(2);
}
const node = ensureInstalled();
await installAgents();
await installAgents(oldestAgents);
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=agents'];
run(node, [...vitest, ...folders, ...process.argv.slice(2)]);

console.log('\nThe conformance suite on the oldest supported releases:');
const BATON_AGENT_MODULES = fileURLToPath(new URL('node_modules', oldestAgents));
const suites = folders.map((folder) => `${folder}conformance.agents`);
run(node, [...vitest, ...(suites.length > 0 ? suites : ['conformance.agents'])], {
  env: { ...process.env, BATON_AGENT_MODULES },
});
