import { delimiter, dirname } from 'node:path';
import { ensureNode22 } from './node-22.mjs';
import { runVitest } from './run-vitest.mjs';

const LIBRARY = [
  'packages/protocol',
  'packages/config',
  'packages/process',
  'packages/engine',
  'packages/agents',
  'packages/contracts',
  'packages/agent-tools',
  'packages/runtime',
  'packages/client',
];

const only = process.argv.slice(2);
const installed = await runVitest(['--project=packages', ...only]);
const onNode22 = only.length === 0 ? await testOnNode22() : 0;
process.exit(installed || onNode22);

async function testOnNode22() {
  console.log('\nThe tests of the library on Node 22:');
  const node = ensureNode22();
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  return runVitest(['--project=core, unit', '--project=core, processes', ...LIBRARY], {
    node,
    env: { PATH },
  });
}
