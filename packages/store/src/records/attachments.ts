import type { Db } from '../engine/engine.ts';
import type { AttachmentRow } from '../schema/tables.ts';

/** All that is known of an attachment but what is in it. */
export type AttachmentInfo = Omit<AttachmentRow, 'body'>;

/** Lists the attachments of a session, the oldest first, without reading what is in them. */
export function listAttachments(db: Db, sessionId: string): Promise<AttachmentInfo[]> {
  return db
    .selectFrom('attachments')
    .select([
      'attachment_id',
      'session_id',
      'name',
      'media_type',
      'bytes',
      'created_by',
      'created_at',
    ])
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .orderBy('attachment_id')
    .execute();
}
