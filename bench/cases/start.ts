import { join } from 'node:path';
import type { AgentName } from '../../testbed/agents.ts';
import { runBare } from '../bare/agent.ts';
import { demoTalk } from '../bare/demo.ts';
import type { Benchmark, Context, Finding } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { timeRatios, timesAdded } from '../measure/ratio.ts';
import type { Side } from '../measure/rounds.ts';
import { agentWorld } from '../world/agents.ts';
import { batonIn } from '../world/baton.ts';
import { runNode } from '../world/command.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { BATON, DEMO_AGENT, NODE, ROOT } from '../world/paths.ts';

const PROMPT = 'Say hello.';
const DEMO_PROMPT = 'demo:script [{"say":"Hello."}]';
const EXAMPLE = join(ROOT, 'examples/agents/code-review.ts');
const CLAIM = '`baton run` adds at most twice the time of `node -e 0` to the bare agent';

/** Cost of the installed command over the bare agent, in starts of Node. */
export const start: Benchmark[] = [
  { name: 'start-demo', claim: `${CLAIM} (demo)`, run: startDemo },
  ...(['claude', 'codex'] as const).map((agent) => ({
    name: `start-${agent}`,
    claim: `${CLAIM} (${agent}, print)`,
    run: (context: Context) => startAgent(agent, context),
  })),
  {
    name: 'version',
    claim: '`baton --version` takes at most 1.5 times as long as `node -e 0`',
    run(context) {
      const cwd = scratchFolder();
      const sides = {
        node: nodeStart(cwd),
        baton: () => runNode({ args: [BATON, '--version'], cwd }),
      };
      const figures = timeRatios<keyof typeof sides>('baton', 'node', {
        limit: 1.5,
        bound: 'at most',
      });
      return compare({ sides, figures }, context);
    },
  },
  {
    name: 'compiled-help',
    claim: '`--help` of a compiled agent takes less than 3 times as long as `node -e 0`',
    async run(context) {
      const cwd = scratchFolder();
      await runNode({ args: [BATON, 'compile', EXAMPLE, '--output', 'agent'], cwd });
      const sides = {
        node: nodeStart(cwd),
        agent: () => runNode({ args: ['agent', '--help'], cwd }),
      };
      const figures = timeRatios<keyof typeof sides>('agent', 'node', {
        limit: 3,
        bound: 'at most',
      });
      return compare({ sides, figures }, context);
    },
  },
];

function startDemo(context: Context): Promise<Finding[]> {
  const cwd = scratchFolder();
  const env = { BATON_DEMO_PACE: '0' };
  const args = [BATON, 'run', '--backend', 'demo', DEMO_PROMPT];
  return added(
    () => runBare({ file: NODE, args: [DEMO_AGENT], cwd, env }, demoTalk(DEMO_PROMPT)),
    () => runNode({ args, cwd, env }),
    cwd,
    context,
  );
}

async function startAgent(agent: AgentName, context: Context): Promise<Finding[]> {
  const world = await agentWorld(agent);
  const { cwd, env, binary } = world;
  const options = { prompt: PROMPT, transport: 'print', permissionMode: 'allow-all' } as const;
  const { file, args } = await (await batonIn(world, options))();
  const batonEnv = { ...env, BATON_CLAUDE_BIN: binary, BATON_CODEX_BIN: binary };
  const batonArgs = ['--backend', agent, '--transport', 'print', '-p', 'allow-all', PROMPT];
  return added(
    () => runBare({ file, args, cwd, env }),
    () => runNode({ args: [BATON, 'run', ...batonArgs], cwd, env: batonEnv }),
    cwd,
    context,
  );
}

function added(bare: Side, baton: Side, cwd: string, context: Context): Promise<Finding[]> {
  const sides = { bare, baton, node: nodeStart(cwd) };
  const limit = { limit: 2, bound: 'at most' } as const;
  const figures = timesAdded<keyof typeof sides>('baton', 'bare', 'node', limit);
  return compare({ sides, figures, atMost: 400 }, context);
}

function nodeStart(cwd: string): Side {
  return () => runNode({ args: ['-e', '0'], cwd });
}
