import {
  BatonError,
  checkRequests,
  type LaunchRequest,
  type OutputSchema,
  readOutputSchema,
  type StructuredOf,
} from '@baton/protocol';
import type { BatonClient } from './baton-client.ts';
import type { FollowOptions } from './follow.ts';
import { randomId } from './random-id.ts';
import { RemoteRun } from './remote-run.ts';
import { retryWhileUnreachable } from './retry-while-unreachable.ts';

/** What to run, in a session that is there or in a new one. */
export type RemoteRequest<Schema extends OutputSchema = OutputSchema> = Omit<
  LaunchRequest<Schema>,
  'backend'
> & {
  /** The name of the backend; that of the session unless told otherwise. */
  backend?: string | undefined;
  /** The session of the daemon to go on in; a new one in the folder of the request without it. */
  batonSession?: string | undefined;
  /**
   * The id for a new session, a UUID, if `batonSession` is not given. A session of the same user with this id is used
   * as it is.
   */
  newSession?: string | undefined;
  /** The title of a new session; its first prompt by default. */
  title?: string | undefined;
  /**
   * The id of the task, a UUID. A second launch with the same id joins the first instead of running the prompt again.
   */
  taskId?: string | undefined;
  /** Told when the daemon does not answer, and when it does again. */
  onConnection?: FollowOptions['onConnection'];
};

/**
 * Puts a prompt into the queue of a session, and gives its run. Task and session have their ids before they are sent, so
 * that a retry after a cut connection never runs the prompt twice.
 */
export async function launchRemotely<const Schema extends OutputSchema>(
  client: BatonClient,
  request: RemoteRequest<Schema>,
): Promise<RemoteRun<StructuredOf<Schema>>> {
  const {
    backend,
    batonSession,
    newSession,
    title: _title,
    taskId = randomId(),
    ...rest
  } = request;
  const { onRequest, requests, signal, onConnection, ...options } = rest;
  const { prompt, cwd: _cwd, permissionMode, model, outputSchema, ...others } = options;
  checkRequests(requests);
  const { json, parse } = readOutputSchema(outputSchema);
  const sessionId = batonSession ?? (await createSession(client, request));
  const given = {
    ...{ prompt, backend, model },
    options: { ...others, ...(json ? { outputSchema: json } : {}) },
    permission_mode: permissionMode,
    task_id: taskId,
  };
  const task = await retried(client, () => client.sessions.executeTask(sessionId, given)).catch(
    async (error: unknown) => {
      // A session whose id the caller chose is the caller's: it may have other tasks, or get another prompt.
      const isOwn = batonSession === undefined && newSession === undefined;
      if (isOwn && isRefusal(error)) await putAway(client, sessionId);
      throw error;
    },
  );
  return new RemoteRun(client, task, { onRequest, requests, signal, onConnection, parse });
}

/** Asks again after a cut connection; a daemon that never answered is not waited for. */
async function retried<Result>(client: BatonClient, ask: () => Promise<Result>): Promise<Result> {
  const { connection } = client;
  try {
    return await ask();
  } catch (error) {
    if (!BatonError.is(error) || !error.retryable || !connection.hasBeenUp) throw error;
    return retryWhileUnreachable(ask, connection.closed);
  }
}

/** Whether the daemon has read the prompt and wants none of it: otherwise the task may be there. */
function isRefusal(error: unknown): boolean {
  return BatonError.is(error) && ['usage', 'capability_missing'].includes(error.code);
}

/** An empty session does no harm. */
async function putAway(client: BatonClient, sessionId: string): Promise<void> {
  await client.sessions.patch(sessionId, { archived: true }).catch(() => {});
}

async function createSession(
  client: BatonClient,
  request: Pick<RemoteRequest, 'backend' | 'cwd' | 'permissionMode' | 'newSession' | 'title'>,
): Promise<string> {
  const { backend, cwd = '', permissionMode, title, newSession = randomId() } = request;
  if (backend === undefined) throw new BatonError('usage', 'A new session needs a backend.');
  const session = { cwd, backend, permission_mode: permissionMode, title, session_id: newSession };
  return (await retried(client, () => client.sessions.create(session))).session_id;
}
