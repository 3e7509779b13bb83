import { type ReferenceExpression, sql } from 'kysely';
import type { Db } from '../engine/engine.ts';
import type { Tables } from '../schema/tables.ts';

/** A session, a task or a request that was found by the beginning of its id. */
export type FoundId = {
  kind: 'session' | 'task' | 'request';
  id: string;
  session_id: string;
  /** The task of a request, or the task itself; null for a session. */
  task_id: string | null;
  /** Title, description or kind, for people to recognize it by. */
  about: string;
};

/** Finds sessions, tasks and requests whose id starts with the given characters, up to `limit` of each kind. */
export async function findIds(db: Db, beginning: string, limit: number): Promise<FoundId[]> {
  const pattern = `${beginning.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const begins = (column: ReferenceExpression<Tables, keyof Tables>) =>
    sql<boolean>`${sql.ref(String(column))} like ${pattern} escape '\\'`;
  const sessions = await db
    .selectFrom('sessions')
    .select(['session_id', 'title', 'cwd'])
    .where(begins('session_id'))
    .limit(limit)
    .execute();
  const tasks = await db
    .selectFrom('tasks')
    .select(['task_id', 'session_id', 'description'])
    .where(begins('task_id'))
    .limit(limit)
    .execute();
  const requests = await db
    .selectFrom('requests')
    .select(['request_id', 'task_id', 'session_id', 'kind'])
    .where(begins('request_id'))
    .orderBy('asked_at', 'desc')
    .limit(limit)
    .execute();
  return [
    ...sessions.map(
      ({ session_id, title, cwd }): FoundId => ({
        kind: 'session',
        id: session_id,
        session_id,
        task_id: null,
        about: title || cwd,
      }),
    ),
    ...tasks.map(
      ({ task_id, session_id, description }): FoundId => ({
        kind: 'task',
        id: task_id,
        session_id,
        task_id,
        about: description,
      }),
    ),
    ...requests.map(
      ({ request_id, task_id, session_id, kind }): FoundId => ({
        kind: 'request',
        id: request_id,
        session_id,
        task_id,
        about: kind,
      }),
    ),
  ];
}
