import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { momentSchema } from '../records/session-record.ts';

const TREE = /^[0-9a-f]{40,64}$/;

/** The place of a comment: a line, a range of lines, or a whole file. */
const placeSchema = z.strictObject({
  /** Relative to the root of the files. */
  path: z.string().min(1).max(4096),
  /** The side of the change that has the lines: the files before or after it. */
  side: z.enum(['old', 'new']),
  /** The first line; null for the whole file. */
  line: z.int().min(1).nullable(),
  /** The last line. */
  end_line: z.int().min(1).nullable(),
  /** The tree in which the lines have these numbers. */
  tree: z.string().regex(TREE),
  /** The lines as they were when the comment was written. */
  quote: z.string().max(20_000),
});

const textSchema = z
  .string()
  .max(20_000)
  .refine((text) => text.trim() !== '', 'The comment is empty.');

export const newReviewCommentSchema = placeSchema
  .extend({ session_id: z.string(), text: textSchema })
  .refine(
    ({ line, end_line }) => (line === null) === (end_line === null),
    'Give both lines or none.',
  )
  .refine(
    ({ line, end_line }) => (end_line ?? 0) >= (line ?? 0),
    'The range ends before it begins.',
  );
export type NewReviewComment = z.input<typeof newReviewCommentSchema>;

export const reviewCommentPatchSchema = z.strictObject({
  /** Only of a comment that was not sent. */
  text: textSchema.optional(),
  is_resolved: z.boolean().optional(),
});
export type ReviewCommentPatch = z.input<typeof reviewCommentPatchSchema>;

/** A comment of a person on a change. It is a draft until it is sent to the agent. */
export const reviewCommentSchema = z.looseObject({
  ...placeSchema.shape,
  comment_id: z.string(),
  session_id: z.string(),
  created_by: z.string().nullable(),
  created_at: momentSchema,
  text: z.string(),
  /** The prompt that it was sent with; null for a draft. */
  task_id: z.string().nullable(),
  sent_at: momentSchema.nullable(),
  resolved_by: z.string().nullable(),
  resolved_at: momentSchema.nullable(),
});
export type ReviewComment = Closed<z.output<typeof reviewCommentSchema>>;
