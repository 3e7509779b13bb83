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
    announces_start: true,
    permission_mode: payload.permissionMode,
    spool_folder: resolve(payload.spoolFolder),
  };
  const taken = await patiently(() => client.executors.create(facts), patience).catch((error) =>
    explained(client, payload, error),
  );
  client.connection.showToken(taken.token);
  return taken;
}

/** Says why a task cannot be taken, and what can. */
async function explained(
  client: BatonClient,
  { taskId }: ExecutorPayload,
  error: unknown,
): Promise<never> {
  if (!BatonError.is(error) || error.code !== 'conflict') throw error;
  const hint = '"baton tasks --status queued" lists what waits.';
  if (taskId === undefined) throw new BatonError('conflict', error.message, { hint });
  const { status } = await client.tasks.get(taskId);
  if (status !== 'QUEUED') {
    throw new BatonError('conflict', `The task does not wait any more: it is ${status}.`, { hint });
  }
  throw new BatonError('conflict', 'The turn of the task has not come.', {
    hint: 'What was asked before it in its session has to end first.',
  });
}

/** Refuses a task that is not the one that was meant, before it is taken. */
async function checkTask(
  client: BatonClient,
  { taskId, sessionId, prompt, tool }: ExecutorPayload,
  patience: Patience,
): Promise<void> {
  if ((sessionId ?? prompt ?? tool) === undefined) return;
  if (taskId === undefined) {
    throw new BatonError('usage', 'Name the task with --task-id: the daemon has created it.');
  }
  const task = await patiently(() => client.tasks.get(taskId), patience);
  const isMeant =
    task.session_id.startsWith(sessionId ?? '') &&
    (prompt ?? task.full_prompt) === task.full_prompt &&
    canonicalName(tool ?? task.backend) === task.backend;
  if (isMeant) return;
  throw new BatonError('usage', 'The task has another session, prompt or agent than was said.');
}
