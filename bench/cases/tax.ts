import type { AgentName } from '../../testbed/agents.ts';
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

/** Cost of a library call over the bare agent, in a warm process. */
export const tax: Benchmark[] = AGENTS.flatMap((agent) =>
  TRANSPORTS.map((transport) => ({
    name: `tax-${agent}-${transport}`,
    claim: `a library call takes at most 3 % longer than the bare agent (${agent}, ${transport})`,
    async run(context) {
      const world = await agentWorld(agent);
      const bare = await (transport === 'live' ? bareLive(world, TALKS[agent]) : barePrint(world));
      const baton = await batonIn(world, optionsOf(transport));
      const figures = timeRatios('baton', 'bare', LIMIT);
      return compare({ sides: { bare, baton }, figures, atMost: 500 }, context);
    },
  })),
);

/** Command lines of other agents, as a user would type them for one prompt with streamed events. */
const TYPED: Partial<Record<AgentName, readonly string[]>> = {
  gemini: [
    '-p',
    'Say hello.',
    '--output-format',
    'stream-json',
    '--approval-mode',
    'yolo',
    '--skip-trust',
  ],
  opencode: ['run', '--format', 'json', '--auto', 'Say hello.'],
  droid: ['exec', '--output-format', 'stream-json', '--skip-permissions-unsafe', 'Say hello.'],
};

/** Cost of a library call over the command line that a user would type. */
export const typedTax: Benchmark[] = Object.entries(TYPED).map(([name, args]) => ({
  name: `tax-${name}`,
  claim: `a library call takes at most 3 % longer than the command that a person types (${name})`,
  async run(context) {
    const world = await agentWorld(name as AgentName);
    const bare = () => runBare({ ...world, file: world.binary, args });
    const baton = await batonIn(world, optionsOf('print'));
    const figures = timeRatios('baton', 'bare', LIMIT);
    return compare({ sides: { bare, baton }, figures, atMost: 100 }, context);
  },
}));

/**
 * Options for a transport. With `print` nothing is asked: otherwise Claude would get a private file that is gone after
 * the run.
 */
function optionsOf(transport: (typeof TRANSPORTS)[number]) {
  const permissionMode = transport === 'print' ? 'allow-all' : 'ask';
  return { prompt: 'Say hello.', transport, permissionMode } as const;
}

async function barePrint(world: AgentWorld): Promise<() => Promise<void>> {
  const { file, args } = await (await batonIn(world, optionsOf('print')))();
  const command: BareCommand = { ...world, file, args };
  return () => runBare(command);
}

async function bareLive(
  world: AgentWorld,
  talkOf: (frames: readonly string[]) => Talk,
): Promise<() => Promise<void>> {
  const recorder = recorderOf(world.binary);
  const recorded = await batonIn({ ...world, binary: recorder.binary }, optionsOf('live'));
  const { args } = await recorded();
  const command: BareCommand = { ...world, file: world.binary, args };
  const talk = (): Talk => talkOf(recorder.frames());
  return () => runBare(command, talk());
}
