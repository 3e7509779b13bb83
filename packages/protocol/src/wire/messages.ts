import { z } from 'zod';
import type { Closed } from '../closed.ts';
import type { AgentEvent } from '../event.ts';
import { messageRecordSchema } from '../records/message-record.ts';
import { receiptSchema } from './permissions.ts';
import type { ServiceWire } from './service.ts';

const MOST_BLOCKS = 1000;
const MOST_EVENTS = 5000;

const place = { session_id: z.string(), task_id: z.string() };

/** Only what the log keeps of a block; agents put more into theirs. */
const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.unknown(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string().min(1),
    content: z
      .union([z.string(), z.array(z.looseObject({ type: z.string() })).max(MOST_BLOCKS)])
      .optional(),
    is_error: z.boolean().optional(),
  }),
]);
export type MessageBlock = z.output<typeof blockSchema>;

/** A message of an executor that reports message by message. */
const newMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...place,
    type: z.literal('permission_request'),
    content: z.strictObject({
      request_id: z.string().min(1),
      tool_name: z.string().min(1),
      tool_params: z.unknown(),
      status: z.literal('pending').optional(),
    }),
  }),
  z.strictObject({
    ...place,
    type: z.enum(['text', 'thinking', 'assistant', 'user']).default('text'),
    /** For `user` only tool results are accepted: prompts are in the log already. */
    role: z.enum(['assistant', 'user']).optional(),
    /** Ignored: messages keep the order in which they arrive. */
    index: z.int().min(0).optional(),
    /** The id of the chunks that it was streamed in, if it was. */
    message_id: z.string().optional(),
    content: z.union([z.string(), z.array(blockSchema).min(1).max(MOST_BLOCKS)]),
  }),
]);
export type NewMessage = z.output<typeof newMessageSchema>;

/** An answer to a permission request, as a change of its message. */
const messagePatchSchema = z.looseObject({
  content: z.looseObject({
    status: z.enum(['approved', 'denied']),
    reason: z.string().max(10_000).optional(),
  }),
});
export type MessagePatch = Closed<z.input<typeof messagePatchSchema>>;

/** The daemon reads each event on its own, so that its error names the event. */
const unreadEventSchema = z.unknown() as z.ZodType<unknown, AgentEvent>;

export const messagesWire = {
  find: {
    query: z.strictObject({
      session_id: z.string(),
      task_id: z.string().optional(),
      before: z.coerce.number<number>().int().min(1).optional(),
      limit: z.coerce.number<number>().int().min(1).max(1000).default(100),
    }),
    result: z.looseObject({ data: z.array(messageRecordSchema), cursor: z.int() }),
  },
  get: { result: messageRecordSchema },
  create: { data: newMessageSchema, result: messageRecordSchema },
  patch: {
    data: messagePatchSchema,
    result: messageRecordSchema.extend({ receipt: receiptSchema }),
  },
  streamChunk: {
    data: z.strictObject({
      session_id: z.string(),
      message_id: z.string().min(1),
      chunk: z.string(),
      kind: z.enum(['text', 'thinking']).default('text'),
    }),
    result: z.strictObject({ cursor: z.int() }),
  },
  subscribe: {
    data: z.strictObject({ session_id: z.string() }),
    result: z.looseObject({ session_id: z.string() }),
  },
  append: {
    data: z.strictObject({ events: z.array(unreadEventSchema).max(MOST_EVENTS) }),
    result: z.looseObject({ last_seq: z.int() }),
  },
} as const satisfies ServiceWire;
