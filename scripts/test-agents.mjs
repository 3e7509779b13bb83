import { installAgents } from '../testbed/install.mjs';
import { ensureInstalled, run } from './install.mjs';

const node = ensureInstalled();
await installAgents();
run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project=agents', ...process.argv.slice(2)]);
