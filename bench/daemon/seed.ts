import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createSession, type Daemon, queuePrompt } from '@baton/daemon';
import { appendRun, type Store } from '@baton/store';
import { addUser } from '../../packages/daemon/src/access/add-user.ts';
import { giveToken } from '../../packages/daemon/src/access/give-token.ts';
import { runEvents, take } from '../streams/events.ts';
import type { ExecutorPlace } from './place.ts';

/** Longer than any benchmark. */
export const LEASE_MS = 24 * 3_600_000;
/** So that a session of a thousand events has more messages than its first page shows. */
const DELTAS_PER_STEP = 5;
const EVENTS_PER_BATCH = 10;
const BATCHES_AT_ONCE = 64;

type Run = { sessionId: string; taskId: string; fence: number };

/** A token that lets its holder do everything. */
export async function ownerToken(store: Store): Promise<string> {
  const { user_id: userId } = await addUser(store, { name: 'bench', role: 'owner' });
  const token = { userId, name: 'bench', kind: 'api', role: 'owner' } as const;
  return (await giveToken(store, token)).secret;
}

/** Begins a session with a task that an executor has taken, and has reported some events of. */
export async function takenTask(
  { store, taskTokens }: Daemon,
  events: number,
): Promise<ExecutorPlace> {
  const run = await startedRun(store, events);
  return { sessionId: run.sessionId, token: await taskTokens.sign(run) };
}

/** Begins a session with a task that has ended. */
export async function endedTask(store: Store, events: number): Promise<void> {
  const run = await startedRun(store, events);
  const end = { type: 'run.completed', outcome: 'done', output: 'Done.', durationMs: 1 } as const;
  const last = { ...end, seq: events + 1, time: store.now(), runId: run.taskId };
  await appendRun(store.log, { ...run, events: [last] });
}

async function startedRun(store: Store, events: number): Promise<Run & { executorId: string }> {
  const { session_id: sessionId } = await createSession(store, {
    cwd: '/workspace',
    backend: 'demo',
    permissionMode: 'ask',
  });
  const taskId = await queuePrompt(store, sessionId, { prompt: 'Go.' });
  const executorId = randomUUID();
  const claimant = { executorId, daemonId: 'bench', host: hostname(), leaseMs: LEASE_MS, taskId };
  const claim = await store.queue.claim(claimant);
  if (!claim) throw new Error('The task could not be taken.');
  const run = { sessionId, taskId, executorId, fence: claim.lease.fence };
  await report(store, run, events);
  return run;
}

/** Many small batches, as a run that lasts makes them; in few commits, to be done soon. */
async function report(store: Store, run: Run, count: number): Promise<void> {
  const source = runEvents(run.taskId, DELTAS_PER_STEP);
  for (let left = count; left > 0; ) {
    const batches = [];
    for (; left > 0 && batches.length < BATCHES_AT_ONCE; left -= EVENTS_PER_BATCH) {
      batches.push(take(source, Math.min(left, EVENTS_PER_BATCH)));
    }
    await Promise.all(batches.map((events) => appendRun(store.log, { ...run, events })));
  }
}
