import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

/** What people mean by the first characters of an id. */
export function ids({ store }: DaemonContext): ServiceDefinition {
  return {
    path: 'ids',
    about: 'Finds sessions, tasks and requests by the beginning of their ids.',
    methods: {
      find: method({
        about: 'Gives what has an id that begins so, up to a number of each kind.',
        allow: ['viewer'],
        query: z.strictObject({
          prefix: z.string().min(1).max(500),
          limit: z.coerce.number().int().min(1).max(100).default(20),
        }),
        result: z.array(
          z.strictObject({
            kind: z.enum(['session', 'task', 'request']),
            id: z.string(),
            session_id: z.string(),
            task_id: z.string().nullable(),
            about: z.string(),
          }),
        ),
        act: ({ query: { prefix, limit } }) => store.findIds(prefix, limit),
      }),
    },
  };
}
