import { type BareCommand, runBare, type Talk } from '../bare/agent.ts';
import { claudeTalk } from '../bare/claude.ts';
import { codexTalk } from '../bare/codex.ts';
import { recorderOf } from '../bare/record-frames.ts';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { timeRatios } from '../measure/ratio.ts';
import { type AgentWorld, agentWorld } from '../world/agents.ts';
import { batonIn } from '../world/baton.ts';

const AGENTS = ['claude', 'codex'] as const;
const TRANSPORTS = ['live', 'print'] as const;
const TALKS = { claude: claudeTalk, codex: codexTalk };
const LIMIT = { limit: 1.03, bound: 'at most' } as const;

/** What a library call costs over the bare agent, in a process that is warm. */
export const tax: Benchmark[] = AGENTS.flatMap((agent) =>
  TRANSPORTS.map((transport) => ({
    name: `tax-${agent}-${transport}`,
    claim: `a library call takes at most 3 % longer than the bare agent (${agent}, ${transport})`,
    async run(context) {
      const world = await agentWorld(agent);
      const bare = await (transport === 'live' ? bareLive(world) : barePrint(world));
      const baton = await batonIn(world, optionsOf(transport));
      const figures = timeRatios('baton', 'bare', LIMIT);
      return compare({ sides: { bare, baton }, figures, atMost: 500 }, context);
    },
  })),
);

/** With the print transport nothing is asked, else Claude would get a private file that is gone after the run. */
function optionsOf(transport: (typeof TRANSPORTS)[number]) {
  const permissionMode = transport === 'print' ? 'allow-all' : 'ask';
  return { prompt: 'Say hello.', transport, permissionMode } as const;
}

async function barePrint(world: AgentWorld): Promise<() => Promise<void>> {
  const { file, args } = await (await batonIn(world, optionsOf('print')))();
  const command: BareCommand = { ...world, file, args };
  return () => runBare(command);
}

async function bareLive(world: AgentWorld): Promise<() => Promise<void>> {
  const recorder = recorderOf(world.binary);
  const recorded = await batonIn({ ...world, binary: recorder.binary }, optionsOf('live'));
  const { args } = await recorded();
  const command: BareCommand = { ...world, file: world.binary, args };
  const talk = (): Talk => TALKS[world.agent](recorder.frames());
  return () => runBare(command, talk());
}
