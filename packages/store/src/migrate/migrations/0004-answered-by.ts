import type { Kysely } from 'kysely';

type Requests = {
  session_id: string;
  task_id: string;
  request_id: string;
  answered_by: string | null;
};
type Entries = { session_id: string; entry_key: string; first_cursor: number; body: string };

/** The transcript says who answered a request, as the request itself did already. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const db = database.withTables<{ requests: Requests; entries: Entries }>();
  const answered = await db
    .selectFrom('requests')
    .select(['session_id', 'task_id', 'request_id', 'answered_by'])
    .where('answered_by', 'is not', null)
    .execute();
  for (const { session_id, task_id, request_id, answered_by } of answered) {
    const entry = await db
      .selectFrom('entries')
      .select(['first_cursor', 'body'])
      .where('session_id', '=', session_id)
      .where('entry_key', '=', `${task_id}:request:${request_id}`)
      .orderBy('first_cursor', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!entry) continue;
    const body = JSON.stringify({ ...JSON.parse(entry.body), answeredBy: answered_by });
    await db
      .updateTable('entries')
      .set({ body })
      .where('session_id', '=', session_id)
      .where('first_cursor', '=', entry.first_cursor)
      .execute();
  }
}
