import { join } from 'node:path';
import type { Benchmark, Context, Finding } from '../benchmark.ts';
import { compare, type Figure } from '../measure/compare.ts';
import { median } from '../measure/statistics.ts';
import { runNode } from '../world/command.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { ROOT } from '../world/paths.ts';
import { Served } from '../world/served.ts';

const SESSIONS = 1000;
const LIMIT = 10;

type Side = 'node' | 'first' | 'old';

/** Start time of a daemon. */
export const daemonReady: Benchmark[] = [
  {
    name: 'daemon-ready',
    claim: `\`baton serve\` is ready within ${LIMIT} times the time of \`node -e 0\`, the first time and with ${SESSIONS} sessions`,
    run,
  },
];

async function run(context: Context): Promise<Finding[]> {
  const cwd = scratchFolder();
  const old = scratchFolder();
  const seeds = join(ROOT, 'bench/children/old-sessions.ts');
  await runNode({ args: [seeds, old, String(SESSIONS)], cwd });
  const served = new Served();
  const sides = {
    node: () => runNode({ args: ['-e', '0'], cwd }),
    first: () => served.start(scratchFolder()),
    old: () => served.start(old),
  };
  const between = () => served.stopAll();
  const figures = [figure('first', 'first start'), figure('old', `${SESSIONS} sessions`)];
  const findings = await compare({ sides, figures, between, atMost: 100 }, context);
  await served.stopAll();
  return findings;
}

function figure(side: Side, what: string): Figure<Side> {
  return {
    what,
    unit: '×',
    limit: LIMIT,
    bound: 'at most',
    of: (rounds) => median(rounds.map((round) => round[side].wallMs / round.node.wallMs)),
  };
}
