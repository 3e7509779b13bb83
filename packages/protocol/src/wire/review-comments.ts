import { z } from 'zod';
import {
  newReviewCommentSchema,
  reviewCommentPatchSchema,
  reviewCommentSchema,
} from '../review/review-comment.ts';
import type { ServiceWire } from './service.ts';

const sendSchema = z.strictObject({
  session_id: z.string(),
  /** The drafts to send; all of the session by default. */
  comment_ids: z.array(z.string()).min(1).max(200).optional(),
  /** Words before the comments. */
  message: z.string().max(20_000).optional(),
  /** Id of the new task, chosen by the caller: a repeated request sends nothing twice. */
  task_id: z.uuid().optional(),
});
export type ReviewSend = z.input<typeof sendSchema>;

export const reviewCommentsWire = {
  find: { query: z.strictObject({ session_id: z.string() }), result: z.array(reviewCommentSchema) },
  create: { data: newReviewCommentSchema, result: reviewCommentSchema },
  patch: { data: reviewCommentPatchSchema, result: reviewCommentSchema },
  remove: { result: z.strictObject({ comment_id: z.string() }) },
  send: { data: sendSchema, result: z.strictObject({ task_id: z.string() }) },
} as const satisfies ServiceWire;
