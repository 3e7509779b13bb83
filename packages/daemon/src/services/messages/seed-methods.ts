import {
  BatonError,
  type Entry,
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
import { eventsOfMessage, seedMessageSchema } from './seed-message.ts';

/** Among so many a message is looked for that began before others did. */
const RECENT_ENTRIES = 100;

const chunkSchema = z.strictObject({
  session_id: z.string(),
  message_id: z.string().min(1),
  chunk: z.string(),
  kind: z.enum(['text', 'thinking']).default('text'),
});

/** For executors that report message by message, and do not number what they say. */
export function seedMethods({ store }: DaemonContext): Record<'create' | 'streamChunk', Method> {
  const said = (
    principal: Principal,
    place: { session_id: string; task_id?: string },
    say: (open: readonly Entry[]) => readonly Said[],
  ) => {
    if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
    const { sessionId, taskId, fence } = principal.claims;
    const isOwn = place.session_id === sessionId && (place.task_id ?? taskId) === taskId;
    if (!isOwn) throw new BatonError('forbidden', 'An executor speaks for its own task only.');
    return appendSaid(store.log, { sessionId, taskId, fence, say, now: store.now() });
  };
  return {
    create: method({
      about:
        'Says something for a task: a message as a text or as blocks (text, thinking, tool_use, tool_result), or a permission request. Gives what the last block has become.',
      allow: ['executor'],
      maxBytes: MAX_LARGE_BODY_BYTES,
      data: seedMessageSchema,
      result: messageRecordSchema,
      async act({ data, principal }) {
        const { session_id, task_id: taskId } = data;
        let last: Said | undefined;
        const cursor = await said(principal, data, (open) => {
          const events = eventsOfMessage(data, open);
          last = events.at(-1);
          return events;
        });
        const before = cursor + 1;
        const key = last && entryKeyOf({ ...last, taskId } as LogEvent);
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
        return { cursor: await said(principal, { session_id }, () => [event]) };
      },
    }),
  };
}
