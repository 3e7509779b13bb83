import { installAgents } from '../testbed/install.mjs';
import { ensureInstalled, run } from './install.mjs';

const node = ensureInstalled();
await installAgents();
run(node, ['scripts/build/main.ts']);
run(node, ['bench/main.ts', ...process.argv.slice(2)]);
