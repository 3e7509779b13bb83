import { hkdfSync, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { masterKey } from '../security/master-key.ts';
import { type TaskClaims, TaskTokens } from '../security/task-token.ts';
import type { Daemon } from '../start-daemon.ts';

const HOUR = 3_600_000;

/** A task token that expired an hour ago, of an executor that still holds its lease. */
export async function expiredToken(daemon: Daemon, folder: string): Promise<string> {
  return expiredTokenFor(await heldTask(daemon), folder);
}

/** Signs a token for some claims as a daemon in a folder did an hour ago. */
export function expiredTokenFor(claims: TaskClaims, folder: string): Promise<string> {
  const key = masterKey({ isNew: true, file: join(folder, 'master.key') });
  const taskKey = Buffer.from(hkdfSync('sha256', key, '', 'baton task tokens', 32));
  const now = () => Date.now() - HOUR;
  return new TaskTokens({ key: taskKey, lifeMs: 60_000, now }).sign(claims);
}

/** A task that an executor holds. */
export async function heldTask({ store }: Daemon): Promise<TaskClaims> {
  const session = { cwd: '/', backend: 'demo', permissionMode: 'ask' as const };
  const { session_id: sessionId } = await createSession(store, session);
  const taskId = await queuePrompt(store, sessionId, { prompt: 'Hi' });
  const executorId = randomUUID();
  const claim = { executorId, daemonId: 'd', host: 'h', leaseMs: HOUR, taskId };
  const claimed = await store.queue.claim(claim);
  if (!claimed) throw new Error('The task was not there to be claimed.');
  return { sessionId, taskId, executorId, fence: claimed.lease.fence };
}
