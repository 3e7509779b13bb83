import type { LogEvent } from '@baton/protocol';
import type { Kysely } from 'kysely';

type Tasks = {
  task_id: string;
  session_id: string;
  native_session_id: string | null;
  used_model: string | null;
};
type Log = { session_id: string; last_cursor: number; body: string };
type Entries = { session_id: string; entry_key: string; through: number; body: string };
type Tables = { tasks: Tasks; log: Log; entries: Entries };
type Used = { taskId: string; model: string; cursor: number };

/** A task and the entry of its prompt know the model that the agent really used, as it named it with its session. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('tasks').addColumn('used_model', 'text').execute();
  const db = database.withTables<Tables>();
  const identified = await db
    .selectFrom('tasks')
    .select('session_id')
    .distinct()
    .where('native_session_id', 'is not', null)
    .execute();
  for (const { session_id } of identified) {
    const rows = await db
      .selectFrom('log')
      .select(['last_cursor', 'body'])
      .where('session_id', '=', session_id)
      .where('body', 'like', '%"run.identified"%')
      .orderBy('last_cursor')
      .execute();
    const lastUsed = new Map(rows.flatMap(modelsIn).map((used) => [used.taskId, used]));
    for (const used of lastUsed.values()) await remember(db, session_id, used);
  }
}

async function remember(db: Kysely<Tables>, sessionId: string, used: Used): Promise<void> {
  const { taskId, model, cursor } = used;
  await db.updateTable('tasks').set({ used_model: model }).where('task_id', '=', taskId).execute();
  const entry = await db
    .selectFrom('entries')
    .select(['through', 'body'])
    .where('session_id', '=', sessionId)
    .where('entry_key', '=', `${taskId}:prompt`)
    .executeTakeFirst();
  if (!entry) return;
  const through = Math.max(Number(entry.through), cursor);
  const body = JSON.stringify({ ...JSON.parse(entry.body), model, through });
  await db
    .updateTable('entries')
    .set({ body, through })
    .where('session_id', '=', sessionId)
    .where('entry_key', '=', `${taskId}:prompt`)
    .execute();
}

/** A row of the log holds the events up to its cursor. */
function modelsIn({ last_cursor, body }: Pick<Log, 'last_cursor' | 'body'>): Used[] {
  const events: LogEvent[] = JSON.parse(body);
  const first = Number(last_cursor) - events.length + 1;
  return events.flatMap((event, index) =>
    event.type === 'run.identified' && event.model
      ? [{ taskId: event.taskId, model: event.model, cursor: first + index }]
      : [],
  );
}
