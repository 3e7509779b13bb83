import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { momentSchema } from '../records/session-record.ts';
import type { ServiceWire } from './service.ts';

const newAttachmentSchema = z.strictObject({
  session_id: z.string(),
  name: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\0/\\]+$/, 'must be a file name without folders'),
  media_type: z
    .string()
    .max(255)
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be like image/png'),
  /** Base64. */
  data: z.string(),
});
export type NewAttachment = z.input<typeof newAttachmentSchema>;

/** A file that is given to an agent with a prompt, without its content. */
const attachmentRecordSchema = z.looseObject({
  attachment_id: z.string(),
  session_id: z.string(),
  name: z.string(),
  media_type: z.string(),
  bytes: z.int(),
  created_by: z.string().nullable(),
  created_at: momentSchema,
});
export type AttachmentRecord = Closed<z.output<typeof attachmentRecordSchema>>;

export const attachmentsWire = {
  find: {
    query: z.strictObject({ session_id: z.string() }),
    result: z.array(attachmentRecordSchema),
  },
  get: {
    /** `data` is the content as base64. */
    result: attachmentRecordSchema.extend({ data: z.string() }),
  },
  create: { data: newAttachmentSchema, result: attachmentRecordSchema },
  remove: { result: z.object({ attachment_id: z.string() }) },
} as const satisfies ServiceWire;
