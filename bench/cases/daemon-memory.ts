import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Benchmark, type Context, counted, type Finding, finding } from '../benchmark.ts';
import { Ingest } from '../daemon/ingest.ts';
import { residentMb } from '../measure/resident.ts';
import { serverWorld } from '../world/daemon.ts';
import { scratchFolder } from '../world/leave-nothing.ts';

const EVENTS = 10_000_000;
const QUICK_EVENTS = 1_500_000;
/** Until then the heap finds its size. */
const FIRST_EVENTS = 1_000_000;
const SESSIONS = 10;
const EVENTS_PER_BATCH = 1000;
const BATCHES_PER_LOOK = 5;
const EVENTS_PER_LOOK = SESSIONS * BATCHES_PER_LOOK * EVENTS_PER_BATCH;
const BYTES_PER_MB = 1024 * 1024;

/** Memory growth of a daemon that passes on events. */
export const daemonMemory: Benchmark[] = [
  {
    name: 'daemon-memory',
    claim: `a daemon grows by at most 50 MB after the first million of ${EVENTS} events over ${SESSIONS} sessions with a follower each`,
    run,
  },
];

async function run({ quick, say }: Context): Promise<Finding[]> {
  const events = quick ? QUICK_EVENTS : EVENTS;
  const folder = scratchFolder();
  const world = await serverWorld('daemon', [folder, ...Array(SESSIONS).fill('0')]);
  const sessions = world.executors.map((_, index) => new Ingest(world, index));
  const looks: number[] = [];
  while (looks.length * EVENTS_PER_LOOK < events) {
    await Promise.all(
      sessions.map((each) => each.pass(each.batches(BATCHES_PER_LOOK, EVENTS_PER_BATCH))),
    );
    looks.push(residentMb(world.pid));
    say(`${looks.length * EVENTS_PER_LOOK} events`);
  }
  for (const each of sessions) each.close();
  const bytes = statSync(join(folder, 'baton.db')).size;
  await world.end();
  rmSync(folder, { recursive: true });
  const first = Math.max(...looks.slice(0, FIRST_EVENTS / EVENTS_PER_LOOK));
  const most = Math.max(...looks);
  const detail = {
    'first million MB': first,
    'most MB': most,
    'database MB per million events': bytes / BYTES_PER_MB / (events / 1_000_000),
  };
  const facts = { what: 'memory growth', unit: 'MB', limit: 50, bound: 'at most' } as const;
  return [finding({ ...facts, samples: looks.length, detail }, counted(most - first))];
}
