import type { AgentEvent } from '@baton/protocol';
import { type Benchmark, type Context, counted, type Finding, finding } from '../benchmark.ts';
import { Ingest } from '../daemon/ingest.ts';
import type { Place } from '../daemon/place.ts';
import { compare } from '../measure/compare.ts';
import { withRates } from '../measure/rates.ts';
import { throughput } from '../measure/ratio.ts';
import { serverWorld } from '../world/daemon.ts';
import { scratchFolder } from '../world/leave-nothing.ts';

/** So many small events are in the 256 KB that an executor sends together when its agent is faster than the daemon. */
const EVENTS_PER_BATCH = 1700;
const BATCHES = 20;

/** Cost of storing the events that executors report. */
export const daemonIngest: Benchmark[] = [
  {
    name: 'daemon-ingest',
    claim:
      'events are committed and delivered to a live follower at least half as fast as without storage',
    run,
  },
];

async function run(context: Context): Promise<Finding[]> {
  const worlds = {
    off: await serverWorld('daemon-without-storage', [scratchFolder()]),
    durable: await serverWorld('daemon', [scratchFolder(), '0']),
  };
  const off = new Side(worlds.off);
  const durable = new Side(worlds.durable);
  const sides = { off: () => off.pass(), durable: () => durable.pass() };
  const between = async () => {
    off.prepare();
    durable.prepare();
  };
  const limit = { limit: 0.5, bound: 'at least' } as const;
  const figures = throughput<keyof typeof sides>('durable', 'off', limit);
  const speed = await compare({ sides, figures, between, atMost: 100 }, context);
  for (const side of [off, durable]) side.ingest.close();
  for (const world of Object.values(worlds)) await world.end();
  const { came, sent } = durable.ingest;
  const facts = {
    what: 'events in order',
    unit: 'events',
    limit: sent,
    bound: 'at least',
  } as const;
  return [
    ...speed.map((each) => withRates(each, BATCHES * EVENTS_PER_BATCH)),
    finding({ ...facts, samples: 1 }, counted(came)),
  ];
}

/** Events are made before they are sent, so that this is not measured. */
class Side {
  readonly ingest: Ingest;
  #batches: AgentEvent[][] = [];

  constructor(place: Place) {
    this.ingest = new Ingest(place, 0);
  }

  prepare(): void {
    this.#batches = this.ingest.batches(BATCHES, EVENTS_PER_BATCH);
  }

  pass(): Promise<void> {
    return this.ingest.pass(this.#batches);
  }
}
