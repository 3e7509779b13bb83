import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** By what usage can be summed up. */
export const USAGE_GROUPS = ['day', 'session', 'backend', 'user'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export type UsageQuery = {
  groupBy: UsageGroup;
  /** Tasks that were asked for at this time or later. */
  from?: number | undefined;
  /** Tasks that were asked for before this time. */
  to?: number | undefined;
};

/** What the tasks of one group consumed together. */
export type UsageSum = {
  /** A day such as `2026-01-31` (UTC), or the id of what it is grouped by; nothing for tasks of nobody. */
  key: string | null;
  tasks: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
};

const COLUMNS: Readonly<Record<UsageGroup, RawBuilder<number | string | null>>> = {
  day: sql`created_at / ${sql.lit(DAY_MS)}`,
  session: sql`session_id`,
  backend: sql`backend`,
  user: sql`created_by`,
};

/** Sums up what tasks consumed, in the order of the groups. */
export async function sumUsage(
  { db, kind }: Engine,
  { groupBy, from, to }: UsageQuery,
): Promise<UsageSum[]> {
  const column = COLUMNS[groupBy];
  const total = (name: string) => {
    const value =
      kind === 'postgres'
        ? sql`(usage::json ->> ${sql.lit(name)})::double precision`
        : sql`json_extract(usage, ${sql.lit(`$.${name}`)})`;
    return sql<number>`coalesce(sum(${value}), 0)`;
  };
  const rows = await db
    .selectFrom('tasks')
    .select(({ fn }) => [
      column.as('key'),
      fn.countAll<number>().as('tasks'),
      total('inputTokens').as('inputTokens'),
      total('outputTokens').as('outputTokens'),
      total('costUsd').as('costUsd'),
    ])
    .$if(from !== undefined, (query) => query.where('created_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('created_at', '<', to ?? 0))
    .groupBy(column)
    .orderBy(column)
    .execute();
  return rows.map((row) => ({
    key: typeof row.key === 'number' ? dayOf(row.key) : row.key,
    tasks: Number(row.tasks),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    costUsd: Number(row.costUsd),
  }));
}

function dayOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
