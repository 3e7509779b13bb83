import {
  type Action,
  BatonError,
  entryKeyOf,
  type LogEvent,
  messageOf,
  messageRecordSchema,
} from '@baton/protocol';
import { appendSaid, type Said } from '@baton/store';
import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { type Method, method } from '../../service/definition.ts';

/** Among so many a message is looked for that began before others did. */
const RECENT_ENTRIES = 100;

const kindSchema = z.enum(['text', 'thinking']).default('text');

const messageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    session_id: z.string(),
    task_id: z.string(),
    type: z.literal('permission_request'),
    content: z.strictObject({
      request_id: z.string().min(1),
      tool_name: z.string().min(1),
      tool_params: z.unknown(),
      status: z.literal('pending').optional(),
    }),
  }),
  z.strictObject({
    session_id: z.string(),
    task_id: z.string(),
    type: kindSchema,
    /** Of the pieces that it was sent in before, if it was. */
    message_id: z.string().optional(),
    content: z.string(),
  }),
]);

const chunkSchema = z.strictObject({
  session_id: z.string(),
  message_id: z.string().min(1),
  chunk: z.string(),
  kind: kindSchema,
});

/** For executors that report message by message, and do not number what they say. */
export function seedMethods({ store }: DaemonContext): Record<'create' | 'streamChunk', Method> {
  const said = (
    principal: Principal,
    place: { session_id: string; task_id?: string },
    event: Said,
  ) => {
    if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
    const { sessionId, taskId, fence } = principal.claims;
    const isOwn = place.session_id === sessionId && (place.task_id ?? taskId) === taskId;
    if (!isOwn) throw new BatonError('forbidden', 'An executor speaks for its own task only.');
    return appendSaid(store.log, { sessionId, taskId, fence, said: event, now: store.now() });
  };
  return {
    create: method({
      about: 'Says something for a task: a message as a whole, or a permission request.',
      allow: ['executor'],
      maxBytes: MAX_LARGE_BODY_BYTES,
      data: messageSchema,
      result: messageRecordSchema,
      async act({ data, principal }) {
        const { session_id, task_id: taskId } = data;
        const event = eventOf(data);
        const before = (await said(principal, data, event)) + 1;
        const key = entryKeyOf({ ...event, taskId } as LogEvent);
        const entries = await store.entries(session_id, { taskId, before, limit: RECENT_ENTRIES });
        const entry = entries.findLast((each) => each.key === key);
        if (!entry) throw new BatonError('internal', 'The message is not there.');
        return messageOf(session_id, entry);
      },
    }),
    streamChunk: method({
      about: 'Says a piece of a message for a task, as it comes.',
      allow: ['executor'],
      maxBytes: MAX_LARGE_BODY_BYTES,
      data: chunkSchema,
      result: z.strictObject({ cursor: z.int() }),
      async act({ data: { session_id, message_id, chunk, kind }, principal }) {
        const event = { type: 'message.delta', messageId: message_id, kind, text: chunk } as const;
        return { cursor: await said(principal, { session_id }, event) };
      },
    }),
  };
}

function eventOf(data: z.output<typeof messageSchema>): Said {
  if (data.type !== 'permission_request') {
    const { type: kind, message_id: messageId = crypto.randomUUID(), content: text } = data;
    return { type: 'message.completed', messageId, kind, text };
  }
  const { request_id: requestId, tool_name: tool, tool_params: input } = data.content;
  return {
    type: 'permission.requested',
    requestId,
    tool,
    action: actionOf(input),
    input,
    scopes: ['once'],
  };
}

/** What the parameters of a tool say by themselves. */
function actionOf(input: unknown): Action {
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' ? { type: 'command', command } : { type: 'other' };
}
