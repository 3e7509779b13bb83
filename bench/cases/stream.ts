import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadBackend } from '@baton/agents/registry/default-baton';
import type { AgentRun, Backend, RunInput } from '@baton/engine/definition/backend';
import { acpTalk } from '../bare/acp.ts';
import { type BareCommand, runBare, type Talk } from '../bare/agent.ts';
import { demoTalk } from '../bare/demo.ts';
import { type Benchmark, type Context, counted, type Finding, finding } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { peakMemory } from '../measure/peak-memory.ts';
import { throughput } from '../measure/ratio.ts';
import { writeLines } from '../streams/bytes.ts';
import { claudeLines } from '../streams/claude.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { BATON, DEMO_AGENT, NODE } from '../world/paths.ts';
import { standIn } from '../world/stand-in.ts';

const DELTAS = 100_000;
const DELTAS_PER_STEP = 100;
const FLOOD = `demo:flood=${DELTAS}`;
const MEMORY_RUNS = 5;
const CLAIM = `${DELTAS} small events are delivered at least half as fast as a bare reader reads them`;

/** Throughput of events from an agent that writes as fast as it can. */
export const stream: Benchmark[] = [
  { name: 'stream-demo', claim: `${CLAIM} (demo)`, run: streamDemo },
  { name: 'stream-claude', claim: `${CLAIM} (a file of Claude output)`, run: streamClaude },
  { name: 'stream-acp', claim: `${CLAIM} (Agent Client Protocol)`, run: streamAcp },
  {
    name: 'stream-memory',
    claim: `a fresh process that delivers ${DELTAS} events uses at most 120 MB`,
    run: streamMemory,
  },
];

async function streamDemo(context: Context): Promise<Finding[]> {
  const { binary, folder } = standIn(`exec '${NODE}' '${DEMO_AGENT}'`);
  const input = { prompt: FLOOD, cwd: folder };
  return passOn(await loadBackend('demo', { binary }), input, () => demoTalk(FLOOD), context);
}

async function streamClaude(context: Context): Promise<Finding[]> {
  const file = join(scratchFolder(), 'stream.jsonl');
  writeLines(file, claudeLines(DELTAS / DELTAS_PER_STEP, DELTAS_PER_STEP));
  const { binary, folder } = standIn(`exec cat '${file}'`);
  const input = { prompt: 'Go.', cwd: folder, transport: 'print' };
  return passOn(await loadBackend('claude', { binary }), input, () => undefined, context);
}

async function streamAcp(context: Context): Promise<Finding[]> {
  const agent = fileURLToPath(new URL('../children/acp-flood.mjs', import.meta.url));
  const { binary, folder } = standIn(`exec '${NODE}' '${agent}' ${DELTAS}`);
  const input: RunInput = { prompt: 'Go.', cwd: folder, permissionMode: 'allow-all' };
  const talk = () => acpTalk('Go.', folder);
  return passOn(await loadBackend('acp:kimi', { binary }), input, talk, context);
}

/** Makes a bare reader and Baton read the same agent, and counts the events. */
async function passOn(
  backend: Backend,
  input: RunInput,
  talk: () => Talk | undefined,
  context: Context,
): Promise<Finding[]> {
  const command: BareCommand = { file: '', args: [], cwd: input.cwd ?? '.', env: {} };
  const onLaunch: RunInput['onLaunch'] = ({ file, args }) => Object.assign(command, { file, args });
  const came = await deltasInOrder(backend.run({ ...input, onLaunch }));
  const sides = {
    bare: () => runBare(command, talk()),
    baton: () => allEvents(backend.run(input)),
  };
  const limit = { limit: 0.5, bound: 'at least' } as const;
  const figures = throughput<keyof typeof sides>('baton', 'bare', limit);
  const speed = await compare({ sides, figures, atMost: 100 }, context);
  const facts = {
    what: 'events in order',
    unit: 'events',
    limit: DELTAS,
    bound: 'at least',
  } as const;
  return [...speed, finding({ ...facts, samples: 1 }, counted(came))];
}

async function allEvents(run: AgentRun): Promise<void> {
  let seq = 0;
  for await (const event of run) {
    if (event.seq !== ++seq) throw new Error(`Event ${event.seq} came in the place of ${seq}.`);
  }
}

/** Counts the deltas of a run until the first one that is out of order. */
async function deltasInOrder(run: AgentRun): Promise<number> {
  let deltas = 0;
  for await (const event of run) {
    if (event.type !== 'message.delta') continue;
    if (numberOf(event.text) !== deltas) return deltas;
    deltas += 1;
  }
  return deltas;
}

/** The agents write a number into every delta. */
function numberOf(text: string): number {
  const [, step, place] = text.split(' ');
  if (place) return Number(step) * DELTAS_PER_STEP + Number(place);
  return Number.parseInt(text, 10) - 1;
}

async function streamMemory({ quick, say }: Context): Promise<Finding[]> {
  const cwd = scratchFolder();
  const peaks: number[] = [];
  while (peaks.length < (quick ? 1 : MEMORY_RUNS)) {
    peaks.push(await peakMemory([BATON, 'run', '--backend', 'demo', '--json', FLOOD], cwd));
    say(`${peaks.length} processes`);
  }
  const facts = { what: 'peak memory', unit: 'MB', limit: 120, bound: 'at most' } as const;
  return [finding({ ...facts, samples: peaks.length }, counted(Math.max(...peaks)))];
}
