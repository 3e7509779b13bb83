import { USAGE_GROUPS } from '@baton/store';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

const timeSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** What tasks consumed. */
export function usage({ store }: DaemonContext): ServiceDefinition {
  return {
    path: 'usage',
    about: 'What tasks consumed.',
    methods: {
      find: method({
        about:
          'Sums up the tasks that were asked for in a time (from it on, and before its end), by day (UTC), session, backend or user.',
        allow: ['viewer'],
        query: z.strictObject({
          from: timeSchema.optional(),
          to: timeSchema.optional(),
          group_by: z.enum(USAGE_GROUPS).default('day'),
        }),
        result: z.array(
          z.looseObject({
            key: z.string().nullable(),
            tasks: z.int(),
            input_tokens: z.number(),
            output_tokens: z.number(),
            cost_usd: z.number(),
          }),
        ),
        async act({ query: { from, to, group_by } }) {
          const sums = await store.usage({
            groupBy: group_by,
            from: from === undefined ? undefined : Date.parse(from),
            to: to === undefined ? undefined : Date.parse(to),
          });
          return sums.map(({ key, tasks, inputTokens, outputTokens, costUsd }) => ({
            key,
            tasks,
            input_tokens: inputTokens,
            output_tokens: outputTokens,
            cost_usd: costUsd,
          }));
        },
      }),
    },
  };
}
