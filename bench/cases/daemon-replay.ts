import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BatonClient } from '@baton/client';
import type { Benchmark, Context, Finding } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { withRates } from '../measure/rates.ts';
import { throughput } from '../measure/ratio.ts';
import { serverWorld } from '../world/daemon.ts';
import { scratchFolder } from '../world/leave-nothing.ts';

const EVENTS = 100_000;
/** Besides the events of its agent, a session has a created, a queued and a started event. */
const FIRST_EVENTS = 3;

/** Speed at which a late follower catches up. */
export const daemonReplay: Benchmark[] = [
  {
    name: 'daemon-replay',
    claim: `a session of ${EVENTS} events is followed from its start at least 0.15 times as fast as its rows can be read and parsed`,
    run,
  },
];

async function run(context: Context): Promise<Finding[]> {
  const folder = scratchFolder();
  const { url, token, executors, end } = await serverWorld('daemon', [folder, String(EVENTS)]);
  const [{ sessionId } = { sessionId: '' }] = executors;
  const client = new BatonClient({ url, token });
  const database = new DatabaseSync(join(folder, 'baton.db'), { readOnly: true });
  const sides = {
    rows: async () => readRows(database, sessionId),
    follow: () => followAll(client, sessionId),
  };
  const limit = { limit: 0.15, bound: 'at least' } as const;
  const figures = throughput<keyof typeof sides>('follow', 'rows', limit);
  const findings = await compare({ sides, figures, atMost: 60 }, context);
  database.close();
  client.close();
  await end();
  return findings.map((finding) => withRates(finding, EVENTS));
}

/** Reads and parses the log rows of a session, without Baton. */
function readRows(database: DatabaseSync, sessionId: string): void {
  const query = database.prepare('select body from log where session_id = ? order by last_cursor');
  let events = 0;
  for (const { body } of query.iterate(sessionId)) events += JSON.parse(String(body)).length;
  if (events !== EVENTS + FIRST_EVENTS) throw new Error(`The log has ${events} events.`);
}

async function followAll(client: BatonClient, sessionId: string): Promise<void> {
  let cursor = 0;
  for await (const event of client.follow(sessionId)) {
    if (event.cursor !== ++cursor) throw new Error(`Cursor ${event.cursor} is wrong.`);
    if (cursor === EVENTS + FIRST_EVENTS) return;
  }
}
