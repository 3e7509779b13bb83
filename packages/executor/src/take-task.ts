import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { canonicalName } from '@baton/runtime';
import { type Patience, patiently } from './patience.ts';
import type { ExecutorPayload } from './payload.ts';

/** Takes a task, if it is the one that was meant, and shows its token from then on. */
export async function takeTask(
  client: BatonClient,
  payload: ExecutorPayload,
  patience: Patience,
): Promise<ExecutorStart> {
  await checkTask(client, payload, patience);
  const facts = {
    host: hostname(),
    pid: process.pid,
    task_id: payload.taskId,
    claim_id: randomUUID(),
    spool_folder: resolve(payload.spoolFolder),
  };
  const taken = await patiently(() => client.executors.create(facts), patience);
  client.connection.showToken(taken.token);
  return withMode(taken, payload);
}

/** Whoever started this may want another mode on this machine. */
function withMode(start: ExecutorStart, { permissionMode }: ExecutorPayload): ExecutorStart {
  if (permissionMode === undefined) return start;
  return { ...start, task: { ...start.task, permission_mode: permissionMode } };
}

/** Refuses a task that is not the one that was meant, before it is taken. */
async function checkTask(
  client: BatonClient,
  { taskId, sessionId, prompt, tool }: ExecutorPayload,
  patience: Patience,
): Promise<void> {
  if ((sessionId ?? prompt ?? tool) === undefined) return;
  if (taskId === undefined) {
    throw new BatonError('usage', 'Say which task it is: the daemon has made it before.');
  }
  const task = await patiently(() => client.tasks.get(taskId), patience);
  const isMeant =
    (sessionId ?? task.session_id) === task.session_id &&
    (prompt ?? task.full_prompt) === task.full_prompt &&
    canonicalName(tool ?? task.backend) === task.backend;
  if (isMeant) return;
  throw new BatonError('usage', 'The task has another session, prompt or agent than was said.');
}
