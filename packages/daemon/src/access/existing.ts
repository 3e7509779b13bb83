import { BatonError } from '@baton/protocol';
import {
  type AttachmentInfo,
  noSession,
  type SessionRow,
  type Store,
  type TaskRow,
} from '@baton/store';
import type { Principal } from './principal.ts';

/** The row of a session that the caller may see. */
export async function existingSession(
  store: Store,
  id: string,
  principal: Principal,
): Promise<SessionRow> {
  const session = (await maySee(store, principal, { session_id: id }))
    ? await store.records.sessions.get(id)
    : undefined;
  if (!session) throw noSession(id);
  return session;
}

/** The row of a task that the caller may see. */
export async function existingTask(
  store: Store,
  id: string,
  principal: Principal,
): Promise<TaskRow> {
  const task = await store.records.tasks.get(id);
  if (task && (await maySee(store, principal, task))) return task;
  throw new BatonError('not_found', `Task "${id}" not found.`);
}

/** Returns an attachment that the caller may see, without its content. */
export async function existingAttachment(
  store: Store,
  id: string,
  principal: Principal,
): Promise<AttachmentInfo> {
  const attachment = await store.attachment(id);
  if (attachment && (await maySee(store, principal, attachment))) return attachment;
  throw new BatonError('not_found', `Attachment "${id}" not found.`);
}

/** True if the caller may see a session. */
export function seesSession(
  store: Store,
  sessionId: string,
  principal: Principal,
): Promise<boolean> {
  return maySee(store, principal, { session_id: sessionId });
}

/** An executor sees only the session of its task, and only until that has ended. */
async function maySee(
  store: Store,
  principal: Principal,
  { session_id }: { session_id: string },
): Promise<boolean> {
  if (principal.kind !== 'executor') return true;
  return principal.claims.sessionId === session_id && (await holdsLease(store, principal));
}

/** True if an executor still holds the lease of its task. */
export async function holdsLease(
  { leases }: Store,
  { claims }: Extract<Principal, { kind: 'executor' }>,
): Promise<boolean> {
  return (await leases.get(claims.taskId))?.fence === claims.fence;
}
