import { z } from 'zod';
import type { Closed } from '../closed.ts';
import {
  permissionAnswerSchema,
  permissionRequestSchema,
  questionAnswerSchema,
  questionRequestSchema,
} from '../permission.ts';
import { momentSchema } from '../records/session-record.ts';
import { pageSchema, pageShape } from './page.ts';
import type { ServiceWire } from './service.ts';

const statusSchema = z.enum(['pending', 'answered', 'resolved']);

const common = {
  session_id: z.string(),
  task_id: z.string(),
  request_id: z.string(),
  status: statusSchema,
  answered_by: z.string().nullable(),
  asked_at: momentSchema,
  answered_at: momentSchema.nullable(),
};

/** The cursor of the request in the log of its session. */
const logged = { cursor: z.int() };

/** A request of an agent; the answer is null while the request is pending. */
const requestRecordSchema = z.discriminatedUnion('kind', [
  z.looseObject({
    ...common,
    kind: z.literal('permission'),
    request: permissionRequestSchema.extend(logged),
    answer: permissionAnswerSchema.nullable(),
  }),
  z.looseObject({
    ...common,
    kind: z.literal('question'),
    request: questionRequestSchema.extend(logged),
    answer: questionAnswerSchema.nullable(),
  }),
]);
export type PendingRecord = Closed<z.output<typeof requestRecordSchema>>;

/** Receipt of an answer: only the first one counts. */
export const receiptSchema = z.enum(['accepted', 'late']);

const newAnswerSchema = z.strictObject({
  session_id: z.string(),
  task_id: z.string(),
  request_id: z.string(),
  answer: z.union([permissionAnswerSchema, questionAnswerSchema]),
  /** Requests that an answer with a longer scope than `once` covers; only identical ones by default. */
  pattern: z.string().max(100_000).optional(),
});
export type NewAnswer = z.input<typeof newAnswerSchema>;

export const permissionsWire = {
  find: {
    query: z.strictObject({
      ...pageShape,
      session_id: z.string().optional(),
      status: statusSchema.default('pending'),
    }),
    result: pageSchema(requestRecordSchema),
  },
  answer: { data: newAnswerSchema, result: z.looseObject({ receipt: receiptSchema }) },
} as const satisfies ServiceWire;
