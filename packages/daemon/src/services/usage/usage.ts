import { USAGE_GROUPS, type UsageGroup } from '@baton/store';
import { z } from 'zod';
import type { DaemonContext } from '../../context.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';

const timeSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const groupSchema = z.enum(USAGE_GROUPS);

/** One group, or two different ones: as a list, or with a comma between them. */
const groupsSchema = z
  .preprocess(
    (value) => (typeof value === 'string' ? value.split(',') : value),
    z.array(groupSchema).min(1).max(2),
  )
  .refine((groups) => new Set(groups).size === groups.length, 'The same group is there twice.');

/** What tasks consumed. */
export function usage({ store }: DaemonContext): ServiceDefinition {
  return {
    path: 'usage',
    about: 'What tasks consumed.',
    methods: {
      find: method({
        about:
          'Sums up the tasks that were asked for in a time (from it on, and before its end), by day (UTC), session, backend, user, model (the one that the agent used, else the chosen one), folder or outcome, or by two of these, as in `day,backend`.',
        allow: ['viewer'],
        query: z.strictObject({
          from: timeSchema.optional(),
          to: timeSchema.optional(),
          group_by: groupsSchema.default(['day']),
        }),
        result: z.array(
          z.looseObject({
            /** Of the first group. */
            key: z.string().nullable(),
            /** The key of each group by its name. */
            group: z.partialRecord(groupSchema, z.string().nullable()),
            tasks: z.int(),
            input_tokens: z.number(),
            output_tokens: z.number(),
            cost_usd: z.number(),
            /** For how long those that have ended ran. */
            duration_ms: z.number(),
            done: z.int(),
            failed: z.int(),
            cancelled: z.int(),
            timed_out: z.int(),
          }),
        ),
        async act({ query: { from, to, group_by } }) {
          const sums = await store.usage({
            groupBy: group_by,
            from: from === undefined ? undefined : Date.parse(from),
            to: to === undefined ? undefined : Date.parse(to),
          });
          return sums.map((sum) => ({
            key: sum.keys[0] ?? null,
            group: named(group_by, sum.keys),
            tasks: sum.tasks,
            input_tokens: sum.inputTokens,
            output_tokens: sum.outputTokens,
            cost_usd: sum.costUsd,
            duration_ms: sum.durationMs,
            done: sum.done,
            failed: sum.failed,
            cancelled: sum.cancelled,
            timed_out: sum.timedOut,
          }));
        },
      }),
    },
  };
}

function named(groups: readonly UsageGroup[], keys: readonly (string | null)[]) {
  return Object.fromEntries(groups.map((group, index) => [group, keys[index] ?? null]));
}
