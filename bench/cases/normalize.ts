import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import { type Benchmark, type Context, counted, type Finding, finding } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { throughput, timeRatios } from '../measure/ratio.ts';
import { bytesOf, chunksOf, writeLines } from '../streams/bytes.ts';
import { claudeLines } from '../streams/claude.ts';
import { codexLines } from '../streams/codex.ts';
import { parseAll, replayAll } from '../streams/read.ts';
import { recordedLines } from '../streams/recorded.ts';
import { runNode } from '../world/command.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { ROOT } from '../world/paths.ts';

const registry = new Registry();

const AGENTS = ['claude', 'codex'] as const;
const LINES = { claude: claudeLines, codex: codexLines };
const STEPS = 400;
const DELTAS_PER_STEP = 100;
/** Recordings are short: so often they make 10 MB. */
const TIMES = { claude: 30, codex: 60 };
const EVENTS = 1_000_000;

/** Speed at which the output of an agent becomes events. */
export const normalize: Benchmark[] = AGENTS.flatMap((agent) => [
  {
    name: `normalize-${agent}`,
    claim: `output becomes events at least half as fast as it can be split and parsed (${agent})`,
    async run(context) {
      const entry = registry.entry(agent);
      const recorded = bytesOf(await recordedLines(entry, TIMES[agent]));
      const long = bytesOf(LINES[agent](STEPS, DELTAS_PER_STEP));
      return [
        ...(await speed(agent, long, 'one long conversation', context)),
        ...(await speed(agent, recorded, 'recordings of real runs', context)),
      ];
    },
  },
  {
    name: `normalize-linear-${agent}`,
    claim: `ten times the conversation takes ten times as long, within 15 % (${agent})`,
    run: (context) => linear(agent, context),
  },
  {
    name: `normalize-memory-${agent}`,
    claim: `memory grows by at most 50 MB over ${EVENTS} events (${agent})`,
    run: ({ quick }) => memory(agent, quick ? EVENTS / 10 : EVENTS),
  },
]);

async function speed(
  agent: (typeof AGENTS)[number],
  bytes: Buffer,
  what: string,
  context: Context,
): Promise<Finding[]> {
  const sides = {
    parse: async () => parseAll(chunksOf(bytes)),
    replay: () => replayAll(registry.entry(agent), chunksOf(bytes)),
  };
  const limit = { limit: 0.5, bound: 'at least' } as const;
  const figures = throughput<keyof typeof sides>('replay', 'parse', limit);
  const findings = await compare({ sides, figures, atMost: 100 }, context);
  return findings.map((finding) => ({ ...finding, what: `throughput, ${what}` }));
}

async function linear(agent: (typeof AGENTS)[number], context: Context): Promise<Finding[]> {
  const entry = registry.entry(agent);
  const short = bytesOf(LINES[agent](STEPS, DELTAS_PER_STEP));
  const long = bytesOf(LINES[agent](STEPS * 10, DELTAS_PER_STEP));
  const sides = {
    short: async () => {
      for (let time = 0; time < 10; time += 1) await replayAll(entry, chunksOf(short));
    },
    long: () => replayAll(entry, chunksOf(long)),
  };
  const limit = { limit: 1.15, bound: 'at most' } as const;
  const figures = timeRatios<keyof typeof sides>('long', 'short', limit);
  return compare({ sides, figures, atMost: 60 }, context);
}

async function memory(agent: (typeof AGENTS)[number], events: number): Promise<Finding[]> {
  const facts = { unit: 'MB', bound: 'at most', limit: 50, samples: 1 } as const;
  const said = await memoryGrowth(agent, events, DELTAS_PER_STEP);
  const done = await memoryGrowth(agent, events, 1);
  return [
    finding({ ...facts, what: 'memory growth, many messages' }, counted(said)),
    finding({ ...facts, what: 'memory growth, many tool calls' }, counted(done)),
  ];
}

/** Makes a child process read a conversation, and returns its memory growth in MB. */
async function memoryGrowth(
  agent: (typeof AGENTS)[number],
  events: number,
  deltasPerStep: number,
): Promise<number> {
  const file = join(scratchFolder(), 'conversation.jsonl');
  // Beside its deltas, each step gives a message and a call, which both begin and end.
  writeLines(file, LINES[agent](Math.ceil(events / (deltasPerStep + 4)), deltasPerStep));
  const program = join(ROOT, 'bench/children/replay-memory.ts');
  const printed = await runNode({ args: [program, agent, file], cwd: ROOT });
  rmSync(file);
  const [came = 0, megabytes = 0] = printed.split(' ').map(Number);
  if (came < events) throw new Error(`Only ${came} of ${events} events came.`);
  return megabytes;
}
