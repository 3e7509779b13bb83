import {
  BatonError,
  checkRequests,
  type HostRequest,
  type LaunchRequest,
  type OutputSchema,
  readOutputSchema,
  type StructuredOf,
  type WorkspaceRequest,
} from '@baton/protocol';
import type { BatonClient } from './baton-client.ts';
import type { FollowOptions } from './follow.ts';
import { randomId } from './random-id.ts';
import { RemoteRun } from './remote-run.ts';
import { retryWhileUnreachable } from './retry-while-unreachable.ts';

/** A run request for an existing session or a new one. */
export type RemoteRequest<Schema extends OutputSchema = OutputSchema> = Omit<
  LaunchRequest<Schema>,
  'backend'
> & {
  /** The name of the backend; that of the session by default. */
  backend?: string | undefined;
  /** The session of the daemon to continue; without it, a new one is created in the folder of the request. */
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
  /** The workspace for a new session; the folder itself by default. */
  workspace?: WorkspaceRequest | undefined;
  /** Called when the connection to the daemon is lost, and when it is back. */
  onConnection?: FollowOptions['onConnection'];
  /** Called with events about the workspace of the run, in order. */
  onWorkspace?: HostRequest['onWorkspace'];
};

/**
 * Queues a prompt in a session and returns its run. The client chooses the ids of task and session, so that a retry
 * after a lost connection never runs the prompt twice.
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
    workspace: _workspace,
    taskId = randomId(),
    ...rest
  } = request;
  const { onRequest, requests, signal, onConnection, onWorkspace, ...options } = rest;
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
      if (isOwn && isRefusal(error)) await archive(client, sessionId);
      throw error;
    },
  );
  return new RemoteRun(client, task, {
    ...{ onRequest, requests, signal, onConnection, onWorkspace },
    parse,
  });
}

/** Retries after a lost connection, but does not wait for a daemon that has never answered. */
async function retried<Result>(client: BatonClient, ask: () => Promise<Result>): Promise<Result> {
  const { connection } = client;
  try {
    return await ask();
  } catch (error) {
    if (!BatonError.is(error) || !error.retryable || !connection.hasBeenUp) throw error;
    return retryWhileUnreachable(ask, connection.closed);
  }
}

/** True if the daemon rejected the prompt; after other errors the task may exist. */
function isRefusal(error: unknown): boolean {
  return BatonError.is(error) && ['usage', 'capability_missing'].includes(error.code);
}

/** Archives an empty session; a failure does no harm. */
async function archive(client: BatonClient, sessionId: string): Promise<void> {
  await client.sessions.patch(sessionId, { archived: true }).catch(() => {});
}

async function createSession(
  client: BatonClient,
  request: Pick<
    RemoteRequest,
    'backend' | 'cwd' | 'permissionMode' | 'newSession' | 'title' | 'workspace'
  >,
): Promise<string> {
  const { backend, cwd = '', permissionMode, title, newSession = randomId(), workspace } = request;
  if (backend === undefined) throw new BatonError('usage', 'A new session needs a backend.');
  const session = {
    ...{ cwd, backend, permission_mode: permissionMode, title, workspace },
    session_id: newSession,
  };
  return (await retried(client, () => client.sessions.create(session))).session_id;
}
