import { z } from 'zod';
import { fileChangeSchema } from '../action.ts';
import type { Entry } from '../transcript/entry.ts';
import type { ServiceWire } from './service.ts';

/** Fields of every entry; the other fields depend on its kind. */
const anyEntrySchema = z.looseObject({
  kind: z.string(),
  key: z.string(),
  cursor: z.int(),
  through: z.int(),
  time: z.number(),
  open: z.boolean(),
}) as unknown as z.ZodType<Entry>;

/** A part of the transcript of a session; the events after its cursor continue it. */
const transcriptPageSchema = z.strictObject({
  entries: z.array(anyEntrySchema),
  /** Earlier prompts of tasks that begin on this page. */
  prompts: z.array(anyEntrySchema),
  /** Earlier entries that later events may still change. */
  changing: z.array(anyEntrySchema),
  /** True if there are entries before these; long entries make a page shorter than its limit. */
  has_earlier: z.boolean(),
  /** The entries include every event up to this cursor. */
  cursor: z.int(),
});
export type TranscriptPage = z.output<typeof transcriptPageSchema>;

const counts = { added: z.int(), removed: z.int() };

/** One change of a file. */
const fileChangeRecordSchema = z.strictObject({
  /** The cursor of the transcript entry, which has the whole diff. */
  cursor: z.int(),
  task_id: z.string().nullable(),
  kind: fileChangeSchema.shape.kind,
  ...counts,
  /** A unified diff, or the text of a new file if the kind is `add`; null if the agent did not report it. */
  diff: z.string().nullable(),
  /** True if the diff is truncated or empty. */
  cut: z.boolean(),
});
export type FileChangeRecord = z.output<typeof fileChangeRecordSchema>;

/** A file that the events of a session report as changed. */
const changedFileSchema = z.strictObject({
  /** Relative to the session folder if it is inside. */
  path: z.string(),
  /** The original name if it was renamed. */
  old_path: z.string().nullable(),
  /** The net change. */
  kind: fileChangeSchema.shape.kind,
  ...counts,
  changes: z.array(fileChangeRecordSchema),
});
export type ChangedFileRecord = z.output<typeof changedFileSchema>;

/** The files that the events of a session report as changed, in the order of their first change. */
const sessionFileChangesSchema = z.strictObject({
  files: z.array(changedFileSchema),
  /** The changes include every event up to this cursor. */
  cursor: z.int(),
});
export type SessionFileChanges = z.output<typeof sessionFileChangesSchema>;

export const transcriptWire = {
  find: {
    query: z.strictObject({
      session_id: z.string(),
      before: z.coerce.number<number>().int().min(1).optional(),
      limit: z.coerce.number<number>().int().min(1).max(1000).default(100),
    }),
    result: transcriptPageSchema,
  },
  changes: {
    data: z.strictObject({
      session_id: z.string(),
      /** Only the files, without their changes. */
      brief: z.boolean().default(false),
    }),
    result: sessionFileChangesSchema,
  },
} as const satisfies ServiceWire;
