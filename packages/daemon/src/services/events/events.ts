import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { existingSession } from '../existing.ts';

const MAX_WAIT_MS = 30_000;

/** What every event has; the rest depends on its type. */
const eventSchema = z.looseObject({ cursor: z.int(), time: z.number(), type: z.string() });

/** The log of a session, for whoever follows it. */
export function events({ store, feed }: DaemonContext): ServiceDefinition {
  return {
    path: 'events',
    about: 'The log of a session, from any cursor on and as it grows.',
    methods: {
      find: method({
        about: 'Gives the events behind a cursor, and waits for some when there are none.',
        allow: ['viewer', 'executor'],
        waits: true,
        query: z.strictObject({
          session_id: z.string(),
          after: z.coerce.number().int().min(0).default(0),
          limit: z.coerce.number().int().min(1).max(5000).default(1000),
          /** Milliseconds. */
          wait: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(0),
        }),
        result: z.looseObject({ events: z.array(eventSchema), cursor: z.int() }),
        async act({ query: { session_id, after, limit, wait }, principal }) {
          await existingSession(store, session_id, principal);
          const found = await feed.next({ sessionId: session_id, after, limit, waitMs: wait });
          return { events: found, cursor: found.at(-1)?.cursor ?? after };
        },
      }),
    },
  };
}
