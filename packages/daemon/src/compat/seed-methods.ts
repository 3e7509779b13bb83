import { BatonError, type Entry, entryKeyOf, type LogEvent } from '@baton/protocol';
import { messagesWire } from '@baton/protocol/wire';
import { appendSaid, type Said } from '@baton/store';
import type { Principal } from '../access/principal.ts';
import type { DaemonContext } from '../context.ts';
import { messageRecord } from '../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../service/body-limits.ts';
import { type Method, method } from '../service/definition.ts';
import { eventsOfMessage } from './seed-message.ts';

/** Number of recent entries to search for the message, which may have started before others. */
const RECENT_ENTRIES = 100;

/** Methods for executors that report whole messages and do not number their events. */
export function seedMethods({ store }: DaemonContext): Record<'create' | 'streamChunk', Method> {
  const said = (
    principal: Principal,
    place: { session_id: string; task_id?: string },
    say: (open: readonly Entry[]) => readonly Said[],
  ) => {
    if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
    const { sessionId, taskId, fence } = principal.claims;
    const isOwn = place.session_id === sessionId && (place.task_id ?? taskId) === taskId;
    if (!isOwn) throw new BatonError('forbidden', 'An executor may only act for its own task.');
    return appendSaid(store.log, { sessionId, taskId, fence, say, now: store.now() });
  };
  return {
    create: method(messagesWire.create, {
      about:
        'Adds a message to a task, as text or as blocks (text, thinking, tool_use, tool_result), or a permission request. Returns the record of the last block.',
      allow: ['executor'],
      maxBytes: MAX_LARGE_BODY_BYTES,
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
        if (!entry) throw new BatonError('internal', 'Message not found.');
        return messageRecord(session_id, entry);
      },
    }),
    streamChunk: method(messagesWire.streamChunk, {
      about: 'Streams a part of a message for a task.',
      allow: ['executor'],
      maxBytes: MAX_LARGE_BODY_BYTES,
      async act({ data: { session_id, message_id, chunk, kind }, principal }) {
        const event = { type: 'message.delta', messageId: message_id, kind, text: chunk } as const;
        return { cursor: await said(principal, { session_id }, () => [event]) };
      },
    }),
  };
}
