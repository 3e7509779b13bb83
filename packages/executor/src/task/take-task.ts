import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { EXECUTOR_PROTOCOL } from '@baton/protocol/wire';
import { WorkspaceHome } from '@baton/workspaces';
import { type CallOptions, callWithRetry } from '../call-with-retry.ts';
import type { ExecutorPayload } from './payload.ts';

/** Claims a task, if it is the expected one, and uses its token from then on. */
export async function takeTask(
  client: BatonClient,
  baton: Baton,
  payload: ExecutorPayload,
  calls: CallOptions,
): Promise<ExecutorStart> {
  await checkTask(client, baton, payload, calls);
  const facts = {
    protocol: EXECUTOR_PROTOCOL,
    host: hostname(),
    pid: process.pid,
    task_id: payload.taskId,
    claim_id: randomUUID(),
    announces_start: true,
    permission_mode: payload.permissionMode,
    spool_folder: resolve(payload.spoolFolder),
    workspaces_folder: new WorkspaceHome().stateFolder,
  };
  const taken = await callWithRetry(() => client.executors.create(facts), calls).catch((error) =>
    explained(client, payload, error),
  );
  client.connection.showToken(taken.token);
  return taken;
}

/** Explains why a task cannot be claimed, with a hint. */
async function explained(
  client: BatonClient,
  { taskId }: ExecutorPayload,
  error: unknown,
): Promise<never> {
  if (!BatonError.is(error)) throw error;
  if (isFromOlderDaemon(error)) {
    throw new BatonError('conflict', 'The daemon runs an older version than this executor.', {
      hint: 'Update the daemon first, then executors on other machines.',
    });
  }
  if (error.code !== 'conflict' || error.message.includes('protocol')) throw error;
  const hint = 'List queued tasks with "baton tasks --status queued".';
  if (taskId === undefined) throw new BatonError('conflict', error.message, { hint });
  const { status } = await client.tasks.get(taskId);
  if (status !== 'QUEUED') {
    throw new BatonError('conflict', `The task is no longer queued: it is ${status}.`, { hint });
  }
  throw new BatonError('conflict', 'Another task in this session runs first.', {
    hint: 'Wait until the earlier tasks of the session have ended.',
  });
}

/** Daemons of earlier versions reject a field that they do not know. */
function isFromOlderDaemon({ code, message }: BatonError): boolean {
  return code === 'usage' && message.includes('there is no "');
}

/** Rejects a task that does not match the arguments, before it is claimed. */
async function checkTask(
  client: BatonClient,
  { registry }: Baton,
  { taskId, sessionId, prompt, tool }: ExecutorPayload,
  calls: CallOptions,
): Promise<void> {
  if ((sessionId ?? prompt ?? tool) === undefined) return;
  if (taskId === undefined) {
    throw new BatonError('usage', 'Pass the task with --task-id: the daemon has created it.');
  }
  const task = await callWithRetry(() => client.tasks.get(taskId), calls);
  const isMeant =
    task.session_id.startsWith(sessionId ?? '') &&
    (prompt ?? task.full_prompt) === task.full_prompt &&
    registry.canonicalName(tool ?? task.backend) === task.backend;
  if (isMeant) return;
  throw new BatonError('usage', 'The task does not match the given session, prompt or agent.');
}
