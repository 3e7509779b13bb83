import { errorInfo, type LogEvent, logEventSchema, sessionRecordSchema } from '@baton/protocol';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { sessionRecord } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

const MOST_EVENTS = 5000;

/** Ids become names of files, such as those of spools. */
const ID = /^[\w-][\w.-]{0,199}$/;
const BAD_ID = 'an id has letters, digits, ".", "_" and "-" only';
const idSchema = z.string().regex(ID, BAD_ID);

function hasIds(event: LogEvent): boolean {
  const { taskId, executorId } = event as { taskId?: string; executorId?: string };
  return [taskId, executorId].every((id) => id === undefined || ID.test(id));
}

/** Sessions that come from another daemon. */
export function imports({ store }: DaemonContext): ServiceDefinition {
  return {
    path: 'imports',
    about: 'Takes over sessions from another daemon.',
    methods: {
      create: method({
        about:
          'Takes a piece of the log of a session. With done the session is here, and its tasks have ended.',
        allow: ['owner'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: z.strictObject({
          session_id: idSchema,
          events: z.array(logEventSchema.refine(hasIds, BAD_ID)).max(MOST_EVENTS),
          done: z.boolean().default(false),
        }),
        result: z.strictObject({
          cursor: z.int(),
          session: sessionRecordSchema.optional(),
          ended_tasks: z.int().optional(),
          is_new: z.boolean().optional(),
        }),
        async act({ data: { session_id, events, done } }) {
          const { cursor } = await store.imports.take(session_id, events);
          if (!done) return { cursor };
          const error = errorInfo(
            'interrupted',
            'The session was moved before the task had ended.',
          );
          const { session, endedTasks, isNew } = await store.imports.finish(session_id, {
            outcome: 'failed',
            error,
          });
          return {
            cursor: session.head_cursor,
            session: sessionRecord(session),
            ended_tasks: endedTasks,
            is_new: isNew,
          };
        },
      }),
    },
  };
}
