import type { UsageGroup } from '@baton/protocol/wire';
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type UsageQuery = {
  /** One or more groups; with several, one sum per combination. */
  groupBy: readonly UsageGroup[];
  /** Tasks created at this time or later. */
  from?: number | undefined;
  /** Tasks created before this time. */
  to?: number | undefined;
};

/** The usage and outcomes of the tasks of one group. */
export type UsageSum = {
  /**
   * A day such as `2026-01-31` (UTC) or the id of each group, in the order of the groups; null for tasks without a user,
   * a model or an outcome.
   */
  keys: (string | null)[];
  tasks: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  /** True if the cost contains an estimate. */
  costEstimated: boolean;
  /** The total run time of ended tasks. */
  durationMs: number;
  done: number;
  failed: number;
  cancelled: number;
  timedOut: number;
};

const COLUMNS: Readonly<Record<UsageGroup, RawBuilder<number | string | null>>> = {
  day: sql`tasks.created_at / ${sql.lit(DAY_MS)}`,
  session: sql`tasks.session_id`,
  backend: sql`tasks.backend`,
  user: sql`tasks.created_by`,
  // An agent that reports no model used the requested one.
  model: sql`coalesce(tasks.used_model, tasks.model)`,
  folder: sql`sessions.cwd`,
  outcome: sql`tasks.outcome`,
};

/** The end time comes from the clock of the executor, which may be off. */
const RUNNING_TIME = sql<number>`coalesce(sum(case when tasks.completed_at > tasks.started_at
  then tasks.completed_at - tasks.started_at else 0 end), 0)`;

/** Sums the usage of tasks, ordered by group. */
export async function sumUsage(
  { db, kind }: Engine,
  { groupBy, from, to }: UsageQuery,
): Promise<UsageSum[]> {
  const columns = groupBy.map((group) => COLUMNS[group]);
  const total = (name: string) => {
    const value =
      kind === 'postgres'
        ? sql`(usage::json ->> ${sql.lit(name)})::double precision`
        : sql`json_extract(usage, ${sql.lit(`$.${name}`)})`;
    return sql<number>`coalesce(sum(${value}), 0)`;
  };
  const isEstimated =
    kind === 'postgres'
      ? sql`usage::json ->> 'costEstimated' = 'true'`
      : sql`json_extract(usage, '$.costEstimated') = 1`;
  const ended = (outcome: string) =>
    sql<number>`sum(case when tasks.outcome = ${sql.lit(outcome)} then 1 else 0 end)`;
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.session_id', 'tasks.session_id')
    .select(({ fn }) => [
      ...columns.map((column, index) => column.as(keyName(index))),
      fn.countAll<number>().as('tasks'),
      total('inputTokens').as('inputTokens'),
      total('outputTokens').as('outputTokens'),
      total('costUsd').as('costUsd'),
      sql<number>`max(case when ${isEstimated} then 1 else 0 end)`.as('costEstimated'),
      RUNNING_TIME.as('durationMs'),
      ended('done').as('done'),
      ended('failed').as('failed'),
      ended('cancelled').as('cancelled'),
      ended('timed_out').as('timedOut'),
    ])
    .$if(from !== undefined, (query) => query.where('tasks.created_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('tasks.created_at', '<', to ?? 0))
    .groupBy(columns)
    .$call((query) => columns.reduce((ordered, column) => ordered.orderBy(column), query))
    .execute();
  return rows.map((row) => {
    const values = row as unknown as Readonly<Record<string, string | number | null>>;
    return {
      keys: columns.map((_column, index) => keyOf(values[keyName(index)] ?? null)),
      tasks: Number(row.tasks),
      inputTokens: Number(row.inputTokens),
      outputTokens: Number(row.outputTokens),
      costUsd: Number(row.costUsd),
      costEstimated: Number(row.costEstimated) === 1,
      durationMs: Number(row.durationMs),
      done: Number(row.done),
      failed: Number(row.failed),
      cancelled: Number(row.cancelled),
      timedOut: Number(row.timedOut),
    };
  });
}

function keyName(index: number): string {
  return `key_${index}`;
}

/** Only days are stored as numbers. */
function keyOf(value: string | number | null): string | null {
  return typeof value === 'number' ? new Date(value * DAY_MS).toISOString().slice(0, 10) : value;
}
