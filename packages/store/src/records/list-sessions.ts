import { isFinal, TASK_STATUSES } from '@baton/protocol';
import { sql } from 'kysely';
import type { Db, Engine } from '../engine/engine.ts';
import type { SessionRow } from '../schema/tables.ts';
import { containing } from './containing.ts';

export type SessionListQuery = {
  archived: boolean;
  backend?: string | undefined;
  cwd?: string | undefined;
  /** The id of the user who began them. */
  createdBy?: string | undefined;
  /** Words of the title or the folder. */
  search?: string | undefined;
  limit: number;
  offset: number;
};

/** A session, with what lists show of its tasks. */
export type ListedSession = SessionRow & {
  /** Tasks that have not ended. */
  open_tasks: number;
  /** Requests of them that wait for an answer. */
  pending_requests: number;
  /**
   * Of the task that matters most: one that waits for an answer, runs, or waits for its turn; else the last that ended.
   */
  last_task_status: string | null;
  /** Error of that task, as JSON. */
  last_task_error: string | null;
};

/** The status of a session: needs input before running before queued. */
const RANK = sql`case tasks.status
  when 'AWAITING_PERMISSION' then 0
  when 'RUNNING' then 1
  when 'STOPPING' then 1
  when 'QUEUED' then 2
  else 3
end`;
const OPEN = TASK_STATUSES.filter((status) => !isFinal(status));

/** Reads some of the sessions that match, those with news first, and how many there are in all. */
export async function listSessions(
  { db, kind }: Engine,
  { archived, backend, cwd, createdBy, search, limit, offset }: SessionListQuery,
): Promise<{ rows: ListedSession[]; total: number }> {
  const matching = db
    .selectFrom('sessions')
    .where('archived', '=', Number(archived))
    .$if(backend !== undefined, (q) => q.where('backend', '=', backend ?? ''))
    .$if(cwd !== undefined, (q) => q.where('cwd', '=', cwd ?? ''))
    .$if(createdBy !== undefined, (q) => q.where('created_by', '=', createdBy ?? ''))
    .$if(!!search, (q) => q.where(containing(kind, ['title', 'cwd'], search ?? '')));
  const rows = await matching
    .selectAll()
    .select(({ selectFrom }) => {
      const tasks = selectFrom('tasks').whereRef('tasks.session_id', '=', 'sessions.session_id');
      const open = tasks.where('status', 'in', OPEN);
      const last = tasks
        .orderBy(RANK)
        .orderBy('completed_at', 'desc')
        .orderBy('position', 'desc')
        .limit(1);
      return [
        open.select(sql<number>`count(*)`.as('count')).as('open_tasks'),
        open
          .select(sql<number>`coalesce(sum(pending_requests), 0)`.as('sum'))
          .as('pending_requests'),
        last.select('status').as('last_task_status'),
        last.select('error').as('last_task_error'),
      ];
    })
    .orderBy('updated_at', 'desc')
    .orderBy('session_id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await matching
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow();
  return {
    rows: rows.map((row) => ({
      ...row,
      open_tasks: Number(row.open_tasks),
      pending_requests: Number(row.pending_requests),
    })),
    total: Number(total),
  };
}

/** The folders of all sessions, each once. */
export async function workspacesIn(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('sessions').select('cwd').distinct().execute();
  return rows.map(({ cwd }) => cwd);
}

/** Reads the sessions that have tasks which have not ended. */
export function listOpenSessions(db: Db): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('session_id', 'in', (query) =>
      query.selectFrom('tasks').select('session_id').where('status', 'in', OPEN),
    )
    .orderBy('session_id')
    .execute();
}

/** Reads the sessions that work in worktrees, with what their logs say about these. */
export function listWorktreeSessions(
  db: Db,
): Promise<Pick<SessionRow, 'session_id' | 'workspace'>[]> {
  return db
    .selectFrom('sessions')
    .select(['session_id', 'workspace'])
    .where('workspace', 'like', '%"kind":"worktree"%')
    .orderBy('session_id')
    .execute();
}
