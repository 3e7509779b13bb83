import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

const MAX_WAIT_MS = 30_000;

/** Which sessions have moved, for whoever shows many of them. */
export function news({ newsDesk }: DaemonContext): ServiceDefinition {
  return {
    path: 'news',
    about: 'Which sessions have moved, for whoever shows many of them.',
    methods: {
      find: method({
        about:
          'Tells which sessions have moved since the place that the last answer named, and waits for one when none has.',
        allow: ['viewer'],
        waits: true,
        query: z.strictObject({
          after: z.string().max(100).optional(),
          /** Milliseconds. */
          wait: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(0),
        }),
        result: z.strictObject({
          after: z.string(),
          session_ids: z.array(z.string()),
          /** Nobody knows what was missed: look again at everything. */
          everything: z.boolean(),
          /** Somebody was changed, such as their role: look who you are. */
          people: z.boolean(),
        }),
        act: ({ query: { after, wait } }) => newsDesk.next(after, wait),
      }),
    },
  };
}
