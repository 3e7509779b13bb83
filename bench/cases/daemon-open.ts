import { BatonClient } from '@baton/client';
import type { Benchmark, Context, Finding } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { median } from '../measure/statistics.ts';
import { serverWorld } from '../world/daemon.ts';
import { scratchFolder } from '../world/leave-nothing.ts';

const SHORT = 1000;
const LONG = 1_000_000;
/** One is over too soon to be measured. */
const OPENINGS = 20;

/** Cost of opening a long session. */
export const daemonOpen: Benchmark[] = [
  {
    name: 'daemon-open',
    claim: `a session with ${LONG} events opens as fast as one with ${SHORT}, within 20 %`,
    run,
  },
];

async function run(context: Context): Promise<Finding[]> {
  context.say(`writing ${LONG} events`);
  const world = await serverWorld('daemon', [scratchFolder(), String(SHORT), String(LONG)]);
  const client = new BatonClient(world);
  const [short, long] = world.executors.map(({ sessionId }) => sessionId);
  const sides = { short: () => openOften(client, short), long: () => openOften(client, long) };
  const findings = await compare<keyof typeof sides>(
    {
      sides,
      figures: [
        {
          what: 'time to open',
          unit: '×',
          limit: 1.2,
          bound: 'at most',
          of: (rounds) => median(rounds.map(({ short, long }) => long.wallMs / short.wallMs)),
        },
      ],
    },
    context,
  );
  client.close();
  await world.end();
  return findings.map((finding) => ({ ...finding, detail: perOpening(finding.detail) }));
}

function perOpening(detail: Finding['detail'] = {}): Record<string, number> {
  const { 'short wallMs': short = 0, 'long wallMs': long = 0 } = detail;
  return { 'short ms': short / OPENINGS, 'long ms': long / OPENINGS };
}

async function openOften(client: BatonClient, sessionId = ''): Promise<void> {
  for (let time = 0; time < OPENINGS; time += 1) await open(client, sessionId);
}

/** Opens a session as a client does: reads its record, its last messages, and the events since. */
async function open(client: BatonClient, sessionId: string): Promise<void> {
  await client.sessions.get(sessionId);
  const { data, cursor } = await client.messages.find({ session_id: sessionId });
  if (data.length !== 100) throw new Error(`The first page has ${data.length} messages.`);
  await client.connection.call('events', 'find', [{ session_id: sessionId, after: cursor }]);
}
