import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
/** The Node that Baton is developed with. */
export const NODE = join(ROOT, 'node_modules/node/bin/node');
const DIST = join(ROOT, 'packages/cli/dist');
/** The command and the demo agent as they are installed. */
export const BATON = join(DIST, 'main.js');
export const DEMO_AGENT = join(DIST, 'demo-agent.js');
