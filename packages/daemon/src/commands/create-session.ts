import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  BatonError,
  type PermissionMode,
  type RequestPolicy,
  type WorkspaceRequest,
} from '@baton/protocol';
import type { SessionRow, Store } from '@baton/store';
import { readSettings } from '../settings/read-settings.ts';

export type NewSession = {
  by?: string | undefined;
  cwd: string;
  backend: string;
  permissionMode: PermissionMode;
  title?: string | undefined;
  /** The policy for unanswered requests. */
  requestPolicy?: RequestPolicy | null | undefined;
  /** A new id by default. */
  sessionId?: string | undefined;
  workspace?: WorkspaceRequest | undefined;
};

/** Creates a session with the settings of the daemon: its policy for unanswered requests and its isolation. */
export async function createConfiguredSession(
  { store, runsTasks }: { store: Store; runsTasks: boolean },
  session: Omit<NewSession, 'requestPolicy'>,
): Promise<SessionRow> {
  const settings = await readSettings(store);
  const isConfined = runsTasks && settings['executors.isolation'] !== 'none';
  const policy = settings['requests.policy'];
  return createSession(store, {
    ...session,
    // Confined agents do not work behind links, which the agent of another session could change.
    cwd: isConfined ? realpathSync(session.cwd) : session.cwd,
    requestPolicy: policy && { afterMs: policy.after_ms, action: policy.action },
  });
}

/** Creates a session in a folder. Idempotent for the same user and session id. */
export async function createSession(store: Store, session: NewSession): Promise<SessionRow> {
  const { by, cwd, backend, permissionMode, title = '', requestPolicy, sessionId } = session;
  const { workspace } = session;
  if (!isAbsolute(cwd)) {
    throw new BatonError(
      'usage',
      `The folder of a session must be an absolute path, not "${cwd}".`,
    );
  }
  const known = await existing(store, session);
  if (known) return known;
  try {
    return await store.log.create(sessionId ?? randomUUID(), [
      { type: 'session.created', by, cwd, backend, permissionMode, title, workspace },
      ...(requestPolicy ? [{ type: 'session.changed' as const, changes: { requestPolicy } }] : []),
    ]);
  } catch (error) {
    // The same request may have arrived first on another connection.
    const made = await existing(store, session);
    if (made) return made;
    throw error;
  }
}

/** The session that an earlier request with the same id created. */
async function existing(
  store: Store,
  { sessionId, by }: NewSession,
): Promise<SessionRow | undefined> {
  const row = sessionId === undefined ? undefined : await store.records.sessions.get(sessionId);
  if (!row || row.created_by === (by ?? null)) return row;
  throw new BatonError('conflict', 'A session with this id already exists.');
}
