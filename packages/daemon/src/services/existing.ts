import { BatonError } from '@baton/protocol';
import {
  type AttachmentRow,
  noSession,
  type SessionRow,
  type Store,
  type TaskRow,
} from '@baton/store';
import type { Principal } from '../access/principal.ts';

/** The row of a session that the caller may see. */
export async function existingSession(
  store: Store,
  id: string,
  principal: Principal,
): Promise<SessionRow> {
  const session = maySee(principal, { session_id: id })
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
  if (task && maySee(principal, task)) return task;
  throw new BatonError('not_found', `There is no task "${id}".`);
}

/** The row of an attachment that the caller may see. */
export async function existingAttachment(
  store: Store,
  id: string,
  principal: Principal,
): Promise<AttachmentRow> {
  const attachment = await store.records.attachments.get(id);
  if (attachment && maySee(principal, attachment)) return attachment;
  throw new BatonError('not_found', `There is no attachment "${id}".`);
}

/** An executor sees only the session of its task. */
function maySee(principal: Principal, { session_id }: { session_id: string }): boolean {
  return principal.kind !== 'executor' || principal.claims.sessionId === session_id;
}
