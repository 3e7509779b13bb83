import { installAgents } from '../testbed/install.mjs';
import { ensureInstalled, run } from './install.mjs';

const node = ensureInstalled();
await installAgents();
run(node, ['scripts/drift/main.ts', ...process.argv.slice(2)]);
