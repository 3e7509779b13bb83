import type { Entry } from '@baton/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Engine } from '../engine/engine.ts';
import { readEntries } from '../projection/read-entries.ts';
import type { TaskRow } from '../schema/tables.ts';
import { containing } from './containing.ts';

export type TaskListQuery = {
  sessionId?: string | undefined;
  /** One of these. */
  statuses?: readonly string[] | undefined;
  backend?: string | undefined;
  /** The folder of the session. */
  cwd?: string | undefined;
  /** Only those whose session is in the archive, or only others; all without it. */
  archived?: boolean | undefined;
  /** Words of the prompt. */
  search?: string | undefined;
  /** Truncates prompts and outputs, which may be very long, to this many characters. */
  longest: number;
  order: 'newest' | 'oldest';
  limit: number;
  offset: number;
};

/** A task, with the fields of its session that lists show. */
export type ListedTask = TaskRow & {
  session_title: string;
  cwd: string;
  archived: number;
  /** 1 if the queue of its session is paused. */
  queue_paused: number;
  /** The workspace of its session and the size of the change there, as JSON. */
  workspace: string | null;
  changes: string | null;
  /** Number of tasks of its session that run before it while it is queued. */
  waits_behind: number;
  /** Request that an active task waits for, or the last thing that it did. */
  last_entry: Entry | undefined;
};

type ShortColumn = Exclude<keyof TaskRow, 'full_prompt' | 'output'>;

/** All columns except those that may be very long; an object, so that the compiler finds a missing one. */
const SHORT: Readonly<Record<ShortColumn, true>> = {
  task_id: true,
  session_id: true,
  position: true,
  status: true,
  created_by: true,
  description: true,
  backend: true,
  model: true,
  used_model: true,
  permission_mode: true,
  options: true,
  attachments: true,
  executor_id: true,
  run_id: true,
  last_seq: true,
  reported_seq: true,
  pending_requests: true,
  failed_starts: true,
  resumed_with: true,
  native_session_id: true,
  created_at: true,
  started_at: true,
  completed_at: true,
  outcome: true,
  error: true,
  usage: true,
};
const SHORT_COLUMNS = (Object.keys(SHORT) as ShortColumn[]).map((name) => `tasks.${name}` as const);

const AT_WORK = ['RUNNING', 'AWAITING_PERMISSION', 'STOPPING'];

const waitsBehind = sql<number>`case when tasks.status = 'QUEUED' then (
  select count(*) from tasks as other where other.session_id = tasks.session_id and (
    other.status in (${sql.join(AT_WORK.map((status) => sql.lit(status)))})
    or (other.status = 'QUEUED' and other.position < tasks.position)
  )) else 0 end`;

/** Reads some of the tasks that match, and how many there are in all. */
export async function listTasks(
  { db, kind }: Engine,
  query: TaskListQuery,
): Promise<{ rows: ListedTask[]; total: number }> {
  const { sessionId, statuses, backend, cwd, archived, search, order, limit, offset, longest } =
    query;
  const matching = db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.session_id', 'tasks.session_id')
    .$if(sessionId !== undefined, (q) => q.where('tasks.session_id', '=', sessionId ?? ''))
    .$if(statuses !== undefined, (q) => q.where('tasks.status', 'in', statuses ?? []))
    .$if(backend !== undefined, (q) => q.where('tasks.backend', '=', backend ?? ''))
    .$if(cwd !== undefined, (q) => q.where('sessions.cwd', '=', cwd ?? ''))
    .$if(archived !== undefined, (q) => q.where('sessions.archived', '=', Number(archived)))
    .$if(!!search, (q) => q.where(containing(kind, ['tasks.full_prompt'], search ?? '')));
  const direction = order === 'newest' ? 'desc' : 'asc';
  // First which ones: whole tasks are too long to be put in order.
  const chosen = matching
    .select('tasks.task_id')
    .orderBy('tasks.created_at', direction)
    .orderBy('tasks.position', direction)
    .orderBy('tasks.task_id')
    .limit(limit)
    .offset(offset);
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.session_id', 'tasks.session_id')
    .select(SHORT_COLUMNS)
    .select([
      text<string>('tasks.full_prompt', longest).as('full_prompt'),
      text<string | null>('tasks.output', longest).as('output'),
    ])
    .select(['sessions.title as session_title', 'sessions.cwd'])
    .select(['sessions.archived', 'sessions.queue_paused'])
    .select(['sessions.workspace', 'sessions.changes'])
    .select(waitsBehind.as('waits_behind'))
    .where('tasks.task_id', 'in', chosen)
    .orderBy('tasks.created_at', direction)
    .orderBy('tasks.position', direction)
    .orderBy('tasks.task_id')
    .execute();
  const { total } = await matching
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow();
  return { rows: await withLastEntries(db, rows), total: Number(total) };
}

function text<Value>(column: string, longest: number): RawBuilder<Value> {
  return sql`substr(${sql.ref(column)}, 1, ${sql.lit(longest)})`;
}

/** There are as many running tasks as slots, and each is found by an index. */
function withLastEntries(db: Db, rows: Omit<ListedTask, 'last_entry'>[]): Promise<ListedTask[]> {
  return Promise.all(
    rows.map(async (listed) => {
      const row = { ...listed, waits_behind: Number(listed.waits_behind) };
      if (!AT_WORK.includes(row.status)) return { ...row, last_entry: undefined };
      const { session_id, task_id: taskId } = row;
      const isAsking = row.status === 'AWAITING_PERMISSION';
      const [last_entry] = await readEntries(db, session_id, { taskId, isAsking, limit: 1 });
      return { ...row, last_entry };
    }),
  );
}
