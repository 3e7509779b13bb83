import { errorInfo } from '@baton/protocol';
import { importsWire } from '@baton/protocol/wire';
import type { DaemonContext } from '../../context.ts';
import { sessionRecord } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** Sessions that come from another daemon. */
export function imports({ store }: DaemonContext): ServiceOf<'imports'> {
  return {
    path: 'imports',
    about: 'Imports sessions from another daemon.',
    methods: {
      create: method(importsWire.create, {
        about:
          "Accepts a part of a session's log. With `done`, completes the import and marks unfinished tasks as interrupted.",
        allow: ['owner'],
        maxBytes: MAX_LARGE_BODY_BYTES,
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
