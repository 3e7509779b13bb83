import { randomUUID } from 'node:crypto';
import type { Store, TaskRow } from '@baton/store';

/** Gives another session what came with the prompt of a task; gives the ids that it has there. */
export async function copyAttachments(
  { records, now }: Store,
  { attachments }: TaskRow,
  sessionId: string,
): Promise<string[]> {
  const copies: string[] = [];
  for (const id of JSON.parse(attachments) as string[]) {
    const row = await records.attachments.get(id);
    // It may have been removed since.
    if (!row) continue;
    const attachment_id = randomUUID();
    await records.attachments.insert({
      ...row,
      attachment_id,
      session_id: sessionId,
      created_at: now(),
    });
    copies.push(attachment_id);
  }
  return copies;
}
