import { BatonError, reportedEvent } from '@baton/protocol';
import { messagesWire } from '@baton/protocol/wire';
import { appendRun } from '@baton/store';
import { existingSession } from '../../access/existing.ts';
import { userIdOf } from '../../access/principal.ts';
import { answerRequest } from '../../commands/answer-request.ts';
import { seedMethods } from '../../compat/seed-methods.ts';
import type { DaemonContext } from '../../context.ts';
import { messageRecord } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES, MAX_PAGE_CHARACTERS } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

const REFUSED_REPORT = 'An executor reported events that executors may not report.';

/** Parses the id of a message into its session and cursor. */
function placeOf(id: string): { sessionId: string; cursor: number } {
  const dot = id.lastIndexOf('.');
  const cursor = Number(id.slice(dot + 1));
  if (dot > 0 && Number.isInteger(cursor)) return { sessionId: id.slice(0, dot), cursor };
  throw new BatonError('not_found', `Message "${id}" not found.`);
}

/** The messages of sessions. */
export function messages(context: DaemonContext): ServiceOf<'messages'> {
  const { store, subscribe, log } = context;
  const entryAt = async (id: string) => {
    const { sessionId, cursor } = placeOf(id);
    const [entry] = await store.entries(sessionId, { before: cursor + 1, limit: 1 });
    if (entry?.cursor === cursor) return { sessionId, entry };
    throw new BatonError('not_found', `Message "${id}" not found.`);
  };
  return {
    path: 'messages',
    about: 'The messages of sessions.',
    // All of them are told from the log, to those who asked for a session.
    events: [
      'created',
      'patched',
      'permission_resolved',
      'streaming:start',
      'streaming:chunk',
      'streaming:end',
      'thinking:start',
      'thinking:chunk',
      'thinking:end',
    ],
    methods: {
      ...seedMethods(context),
      find: method(messagesWire.find, {
        about: 'Returns the last messages of a session, or those before a cursor, oldest first.',
        allow: ['viewer'],
        async act({ query: { session_id, task_id, before, limit }, principal }) {
          const session = await existingSession(store, session_id, principal);
          const entries = await store.entries(session_id, {
            taskId: task_id,
            ...{ before, limit, maxCharacters: MAX_PAGE_CHARACTERS },
          });
          return {
            data: entries.map((entry) => messageRecord(session_id, entry)),
            cursor: session.head_cursor,
          };
        },
      }),
      get: method(messagesWire.get, {
        about: 'Returns one message.',
        allow: ['viewer'],
        async act({ id }) {
          const { sessionId, entry } = await entryAt(id);
          return messageRecord(sessionId, entry);
        },
      }),
      patch: method(messagesWire.patch, {
        about: 'Answers a permission request, by setting its status to approved or denied.',
        allow: ['member'],
        async act({ id, data, principal }) {
          const { sessionId, entry } = await entryAt(id);
          if (entry.kind !== 'permission' || entry.taskId === undefined) {
            throw new BatonError('usage', 'Only a permission request can be answered.');
          }
          const { status, reason } = data.content;
          const receipt = await answerRequest(store, sessionId, {
            taskId: entry.taskId,
            requestId: entry.request.requestId,
            answer: status === 'approved' ? { decision: 'allow' } : { decision: 'deny', reason },
            by: userIdOf(principal),
          });
          const { entry: after } = await entryAt(id);
          return { ...messageRecord(sessionId, after), receipt };
        },
      }),
      subscribe: method(messagesWire.subscribe, {
        about:
          'Subscribes this connection to the service events of a session: stops, answers and streamed text.',
        allow: ['viewer', 'executor'],
        async act({ data: { session_id }, principal, connection }) {
          await existingSession(store, session_id, principal);
          if (!connection) {
            throw new BatonError('usage', 'Only a WebSocket connection can subscribe.');
          }
          await subscribe(session_id, connection);
          return { session_id };
        },
      }),
      append: method(messagesWire.append, {
        about:
          'Accepts events of a run from its executor and returns the sequence number of the last one stored.',
        allow: ['executor'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ data, principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          const { sessionId, taskId, fence } = principal.claims;
          try {
            const events = data.events.map(reportedEvent);
            const { lastSeq } = await appendRun(store.log, { sessionId, taskId, fence, events });
            return { last_seq: lastSeq };
          } catch (error) {
            if (BatonError.is(error) && error.code === 'forbidden') {
              log.warn({ ...principal.claims, reason: error.message }, REFUSED_REPORT);
            }
            throw error;
          }
        },
      }),
    },
  };
}
