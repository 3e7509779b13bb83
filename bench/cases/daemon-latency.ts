import { type Benchmark, type Context, type Finding, finding } from '../benchmark.ts';
import { sendEvenly } from '../daemon/line.ts';
import { daemonLines, echoLines } from '../daemon/lines.ts';
import { cpuMs } from '../measure/cpu.ts';
import { estimate, median, quantile } from '../measure/statistics.ts';
import { serverWorld } from '../world/daemon.ts';
import { scratchFolder } from '../world/leave-nothing.ts';

const SESSIONS = 50;
const EVENTS_PER_SECOND = 1000;
const SECONDS = 3;
const ROUNDS = 20;
const QUICK_ROUNDS = 2;
/** About twice what was measured on a quiet machine. */
const LIMITS = { p50: 10, p99: 20 };

type Times = Record<'p50' | 'p99', number>;
/** With the milliseconds of a processor that the server needed for each event. */
type Round = Record<'echo' | 'baton', Times & { cpuMs: number }>;

/** Latency of an event. */
export const daemonLatency: Benchmark[] = [
  {
    name: 'daemon-latency',
    claim: `at ${EVENTS_PER_SECOND} events/s over ${SESSIONS} sessions, the way from executor to follower takes at most ${LIMITS.p50} times as long as a bare echo, and ${LIMITS.p99} times for the slowest hundredth`,
    run,
  },
];

async function run({ quick, say }: Context): Promise<Finding[]> {
  const folder = scratchFolder();
  const daemon = await serverWorld('daemon', [folder, ...Array(SESSIONS).fill('0')]);
  const echo = await serverWorld('echo');
  const lines = { echo: echoLines(echo, SESSIONS), baton: daemonLines(daemon, folder) };
  const pids = { echo: echo.pid, baton: daemon.pid };
  const rate = { perSecond: EVENTS_PER_SECOND, seconds: SECONDS };
  const side = async (name: keyof Round) => {
    const before = cpuMs(pids[name]);
    const took = await sendEvenly(lines[name], rate);
    const used = (cpuMs(pids[name]) - before) / took.length;
    return { p50: quantile(took, 0.5), p99: quantile(took, 0.99), cpuMs: used };
  };
  const rounds: Round[] = [];
  await side('baton');
  while (rounds.length < (quick ? QUICK_ROUNDS : ROUNDS)) {
    const isTurned = rounds.length % 2 === 1;
    const first = await side(isTurned ? 'baton' : 'echo');
    const second = await side(isTurned ? 'echo' : 'baton');
    rounds.push(isTurned ? { baton: first, echo: second } : { echo: first, baton: second });
    say(`${rounds.length} rounds`);
  }
  for (const line of [...lines.echo, ...lines.baton]) line.close();
  await Promise.all([daemon.end(), echo.end()]);
  return [judged('p50', rounds), judged('p99', rounds)];
}

function judged(what: keyof Times, rounds: readonly Round[]): Finding {
  const ratio = (some: readonly Round[]) =>
    median(some.map(({ baton, echo }) => baton[what] / echo[what]));
  const detail = {
    'echo ms': median(rounds.map(({ echo }) => echo[what])),
    'baton ms': median(rounds.map(({ baton }) => baton[what])),
    'echo cpuMs per event': median(rounds.map(({ echo }) => echo.cpuMs)),
    'baton cpuMs per event': median(rounds.map(({ baton }) => baton.cpuMs)),
  };
  const facts = { what, unit: '×', limit: LIMITS[what], bound: 'at most' } as const;
  return finding({ ...facts, samples: rounds.length, detail }, estimate(rounds, ratio));
}
