import { BatonError, type LaunchRequest } from '@baton/protocol';
import type { BatonClient } from './baton-client.ts';
import type { FollowOptions } from './follow.ts';
import { RemoteRun } from './remote-run.ts';

/** What to run, in a session that is there or in a new one. */
export type RemoteRequest = Omit<LaunchRequest, 'backend'> & {
  /** The name of the backend; that of the session unless told otherwise. */
  backend?: string | undefined;
  /** The session of the daemon to go on in; a new one in the folder of the request without it. */
  batonSession?: string | undefined;
  /** Told when the daemon does not answer, and when it does again. */
  onLine?: FollowOptions['onLine'];
};

/** Puts a prompt into the queue of a session, and gives its run. */
export async function launchRemotely(
  client: BatonClient,
  request: RemoteRequest,
): Promise<RemoteRun> {
  const { backend, batonSession, onRequest, signal, onLine, prompt, ...rest } = request;
  const { cwd: _cwd, permissionMode, model, ...options } = rest;
  const sessionId = batonSession ?? (await newSession(client, request));
  const given = { prompt, backend, permissionMode, model, options };
  const task = await client.sessions.executeTask(sessionId, given).catch(async (error: unknown) => {
    if (batonSession === undefined && isRefusal(error)) await putAway(client, sessionId);
    throw error;
  });
  return new RemoteRun(client, task, { onRequest, signal, onLine });
}

/** Whether the daemon has read the prompt and wants none of it: otherwise the task may be there. */
function isRefusal(error: unknown): boolean {
  return BatonError.is(error) && ['usage', 'capability_missing'].includes(error.code);
}

/** A session that nothing ever happens in is in nobody's way. */
async function putAway(client: BatonClient, sessionId: string): Promise<void> {
  await client.sessions.patch(sessionId, { archived: true }).catch(() => {});
}

async function newSession(
  client: BatonClient,
  { backend, cwd = '', permissionMode }: RemoteRequest,
): Promise<string> {
  if (backend === undefined) throw new BatonError('usage', 'A new session needs a backend.');
  const session = { cwd, backend, permission_mode: permissionMode };
  return (await client.sessions.create(session)).session_id;
}
