import { eventsWire } from '@baton/protocol/wire';
import { existingSession } from '../../access/existing.ts';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** The log of a session, for followers. */
export function events({ store, feed }: DaemonContext): ServiceOf<'events'> {
  return {
    path: 'events',
    about: 'The event log of a session, from any cursor.',
    methods: {
      find: method(eventsWire.find, {
        about: 'Returns the events after a cursor; long-polls if there are none.',
        allow: ['viewer', 'executor'],
        waits: true,
        async act({ query: { session_id, after, limit, wait, types }, principal }) {
          await existingSession(store, session_id, principal);
          const wanted = typeof types === 'string' ? [types] : types;
          const place = { sessionId: session_id, after, limit, waitMs: wait, types: wanted };
          return feed.next(place);
        },
      }),
    },
  };
}
