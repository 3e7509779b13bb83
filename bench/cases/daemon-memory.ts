import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Benchmark, type Context, counted, type Finding, finding } from '../benchmark.ts';
import { Ingest } from '../daemon/ingest.ts';
import { residentMb } from '../measure/resident.ts';
import { serverWorld } from '../world/daemon.ts';
import { scratchFolder } from '../world/leave-nothing.ts';

const EVENTS = 10_000_000;
const QUICK_EVENTS = 500_000;
const SESSIONS = 10;
const EVENTS_PER_BATCH = 1000;
/** As many looks at the memory, evenly over the events. */
const LOOKS = 50;
const BYTES_PER_MB = 1024 * 1024;

/** Whether a daemon forgets what it has passed on. */
export const daemonMemory: Benchmark[] = [
  {
    name: 'daemon-memory',
    claim: `${EVENTS} events over ${SESSIONS} sessions, each with a follower, let a daemon grow by at most 50 MB after the first tenth`,
    run,
  },
];

async function run({ quick, say }: Context): Promise<Finding[]> {
  const events = quick ? QUICK_EVENTS : EVENTS;
  const folder = scratchFolder();
  const world = await serverWorld('daemon', [folder, ...Array(SESSIONS).fill('0')]);
  const sessions = world.executors.map((_, index) => new Ingest(world, index));
  const batches = events / LOOKS / SESSIONS / EVENTS_PER_BATCH;
  const resident: number[] = [];
  while (resident.length < LOOKS) {
    await Promise.all(
      sessions.map((session) => session.pass(session.batches(batches, EVENTS_PER_BATCH))),
    );
    resident.push(residentMb(world.pid));
    say(`${(events / LOOKS) * resident.length} events`);
  }
  for (const session of sessions) session.close();
  const bytes = statSync(join(folder, 'baton.db')).size;
  await world.end();
  rmSync(folder, { recursive: true });
  const first = Math.max(...resident.slice(0, LOOKS / 10));
  const most = Math.max(...resident);
  const detail = {
    'first tenth MB': first,
    'most MB': most,
    'database MB per million events': bytes / BYTES_PER_MB / (events / 1_000_000),
  };
  const facts = { what: 'memory growth', unit: 'MB', limit: 50, bound: 'at most' } as const;
  return [finding({ ...facts, samples: LOOKS, detail }, counted(most - first))];
}
