import { BatonError, messageOf, messageRecordSchema, reportedEvent } from '@baton/protocol';
import { appendRun } from '@baton/store';
import { z } from 'zod';
import { userIdOf } from '../../access/principal.ts';
import { answerRequest } from '../../commands/answer-request.ts';
import type { DaemonContext } from '../../context.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { existingSession } from '../existing.ts';
import { seedMethods } from './seed-methods.ts';

const MOST_EVENTS = 5000;
const REFUSED_REPORT = 'An executor reported events that executors may not report.';

/** Where a message is: its id names the session and the place in it. */
function placeOf(id: string): { sessionId: string; cursor: number } {
  const dot = id.lastIndexOf('.');
  const cursor = Number(id.slice(dot + 1));
  if (dot > 0 && Number.isInteger(cursor)) return { sessionId: id.slice(0, dot), cursor };
  throw new BatonError('not_found', `There is no message "${id}".`);
}

/** What was said and done in sessions. */
export function messages(context: DaemonContext): ServiceDefinition {
  const { store, subscribe, log } = context;
  const entryAt = async (id: string) => {
    const { sessionId, cursor } = placeOf(id);
    const [entry] = await store.entries(sessionId, { before: cursor + 1, limit: 1 });
    if (entry?.cursor === cursor) return { sessionId, entry };
    throw new BatonError('not_found', `There is no message "${id}".`);
  };
  return {
    path: 'messages',
    about: 'What was said and done in sessions.',
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
      find: method({
        about: 'Gives the last messages of a session, or those before a cursor, the oldest first.',
        allow: ['viewer'],
        query: z.strictObject({
          session_id: z.string(),
          task_id: z.string().optional(),
          before: z.coerce.number().int().min(1).optional(),
          limit: z.coerce.number().int().min(1).max(1000).default(100),
        }),
        result: z.looseObject({ data: z.array(messageRecordSchema), cursor: z.int() }),
        async act({ query: { session_id, task_id, before, limit }, principal }) {
          const session = await existingSession(store, session_id, principal);
          const entries = await store.entries(session_id, { taskId: task_id, before, limit });
          return {
            data: entries.map((entry) => messageOf(session_id, entry)),
            cursor: session.head_cursor,
          };
        },
      }),
      get: method({
        about: 'Gives one message.',
        allow: ['viewer'],
        result: messageRecordSchema,
        async act({ id }) {
          const { sessionId, entry } = await entryAt(id);
          return messageOf(sessionId, entry);
        },
      }),
      patch: method({
        about: 'Answers a permission request, by setting its status to approved or denied.',
        allow: ['member'],
        data: z.looseObject({
          content: z.looseObject({
            status: z.enum(['approved', 'denied']),
            reason: z.string().max(10_000).optional(),
          }),
        }),
        result: messageRecordSchema,
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
          return { ...messageOf(sessionId, after), receipt };
        },
      }),
      subscribe: method({
        about:
          'Lets this connection hear the service events of a session: stops, answers, and text as it comes.',
        allow: ['viewer', 'executor'],
        data: z.strictObject({ session_id: z.string() }),
        result: z.looseObject({ session_id: z.string() }),
        async act({ data: { session_id }, principal, connection }) {
          await existingSession(store, session_id, principal);
          if (!connection) {
            throw new BatonError('usage', 'Only a WebSocket connection can subscribe.');
          }
          await subscribe(session_id, connection);
          return { session_id };
        },
      }),
      append: method({
        about: 'Takes events of a run from its executor, and tells which one is the last it has.',
        allow: ['executor'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: z.strictObject({ events: z.array(z.unknown()).max(MOST_EVENTS) }),
        result: z.looseObject({ last_seq: z.int() }),
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
