import { z } from 'zod';
import type { Closed } from '../closed.ts';
import type { ServiceWire } from './service.ts';

/** Groupings of the usage report. */
export const USAGE_GROUPS = [
  'day',
  'session',
  'backend',
  'user',
  'model',
  'folder',
  'outcome',
] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

const timeSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const groupSchema = z.enum(USAGE_GROUPS);
/** One group, or two different ones: as a list, or separated by a comma. */
const groupsSchema = z
  .preprocess(
    (value) => (typeof value === 'string' ? value.split(',') : value),
    z.array(groupSchema).min(1).max(2),
  )
  .refine(
    (groups) => new Set(groups).size === groups.length,
    'The same group is listed twice.',
  ) as unknown as z.ZodType<UsageGroup[], UsageGroup | readonly [UsageGroup, UsageGroup]>;

const usageQuerySchema = z.strictObject({
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  group_by: groupsSchema.default(['day']),
});
export type UsageQuery = z.input<typeof usageQuerySchema>;

/** Usage and outcomes of the tasks of one group. */
const usageRecordSchema = z.looseObject({
  /** The key of the first group: a day (UTC), or an id; null for tasks without one. */
  key: z.string().nullable(),
  /** The key of each group by its name. */
  group: z.partialRecord(groupSchema, z.string().nullable()),
  tasks: z.int(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.number(),
  /** True if a part of the cost is an estimate, computed from tokens and prices. */
  cost_estimated: z.boolean(),
  /** Total running time of the tasks that have ended. */
  duration_ms: z.number(),
  done: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  timed_out: z.int(),
});
export type UsageRecord = Closed<z.output<typeof usageRecordSchema>>;

export const usageWire = {
  find: { query: usageQuerySchema, result: z.array(usageRecordSchema) },
} as const satisfies ServiceWire;
