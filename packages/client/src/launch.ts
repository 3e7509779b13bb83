import type { AgentRun, LaunchRequest } from '@baton/protocol';
import type { BatonClient } from './baton-client.ts';
import { RemoteRun } from './remote-run.ts';

/** What to run, in a session that is there or in a new one. */
export type RemoteRequest = LaunchRequest & {
  /** The session of the daemon to go on in; a new one in the folder of the request without it. */
  batonSession?: string | undefined;
};

/** Puts a prompt into the queue of a session, and gives its run. */
export async function launchRemotely(
  client: BatonClient,
  request: RemoteRequest,
): Promise<AgentRun> {
  const { backend, batonSession, onRequest, signal, prompt, ...rest } = request;
  const { cwd, permissionMode, model, ...options } = rest;
  const sessionId =
    batonSession ??
    (
      await client.sessions.create({
        cwd: cwd ?? '',
        backend,
        permission_mode: permissionMode,
      })
    ).session_id;
  const task = await client.sessions.executeTask(sessionId, {
    prompt,
    backend,
    permissionMode,
    model,
    options,
  });
  return new RemoteRun(client, task, { onRequest, signal });
}
