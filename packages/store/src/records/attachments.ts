import { sql } from 'kysely';
import type { Db } from '../engine/engine.ts';
import type { AttachmentRow } from '../schema/tables.ts';

/** All that is known of an attachment but what is in it. */
export type AttachmentInfo = Omit<AttachmentRow, 'body'>;

const INFO = [
  'attachment_id',
  'session_id',
  'name',
  'media_type',
  'bytes',
  'created_by',
  'created_at',
] as const;

/** Lists the attachments of a session, the oldest first, without reading what is in them. */
export function listAttachments(db: Db, sessionId: string): Promise<AttachmentInfo[]> {
  return db
    .selectFrom('attachments')
    .select(INFO)
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .orderBy('attachment_id')
    .execute();
}

/** Gives what is known of an attachment, without reading what is in it. */
export function attachmentInfo(db: Db, id: string): Promise<AttachmentInfo | undefined> {
  return db
    .selectFrom('attachments')
    .select(INFO)
    .where('attachment_id', '=', id)
    .executeTakeFirst();
}

/** Reads what is in an attachment part by part, each when it is asked for. */
export async function* attachmentParts(
  db: Db,
  id: string,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  for (let from = 1; ; from += partBytes) {
    const row = await db
      .selectFrom('attachments')
      .select(
        sql<Uint8Array | null>`substr(body, cast(${from} as integer), cast(${partBytes} as integer))`.as(
          'part',
        ),
      )
      .where('attachment_id', '=', id)
      .executeTakeFirst();
    if (!row) throw new Error(`Attachment ${id} was removed while it was read.`);
    // An empty body has no part at all on SQLite.
    if (row.part?.length) yield row.part;
    if ((row.part?.length ?? 0) < partBytes) return;
  }
}
