import { BatonError } from '@baton/protocol';
import type { Store } from '@baton/store';

/** Refuses attachments that do not belong to the session of a prompt. */
export async function checkAttachments(
  store: Store,
  sessionId: string,
  ids: readonly string[] = [],
): Promise<void> {
  if (ids.length === 0) return;
  const own = new Set((await store.attachments(sessionId)).map((each) => each.attachment_id));
  const foreign = ids.find((id) => !own.has(id));
  if (foreign === undefined) return;
  throw new BatonError('usage', `Attachment "${foreign}" not found in this session.`);
}
