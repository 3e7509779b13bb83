import type { LogEvent } from '@baton/protocol';
import type { Kysely } from 'kysely';

type Tasks = {
  task_id: string;
  session_id: string;
  native_session_id: string | null;
  used_model: string | null;
};
type Log = { session_id: string; last_cursor: number; body: string };

/** A task knows the model that its agent really used, as the agent named it together with its session. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('tasks').addColumn('used_model', 'text').execute();
  const db = database.withTables<{ tasks: Tasks; log: Log }>();
  const identified = await db
    .selectFrom('tasks')
    .select('session_id')
    .distinct()
    .where('native_session_id', 'is not', null)
    .execute();
  for (const { session_id } of identified) {
    const rows = await db
      .selectFrom('log')
      .select('body')
      .where('session_id', '=', session_id)
      .where('body', 'like', '%"run.identified"%')
      .orderBy('last_cursor')
      .execute();
    const models = new Map(rows.flatMap(({ body }) => modelsIn(JSON.parse(body))));
    for (const [task_id, used_model] of models) {
      await db.updateTable('tasks').set({ used_model }).where('task_id', '=', task_id).execute();
    }
  }
}

function modelsIn(events: readonly LogEvent[]): [taskId: string, model: string][] {
  return events.flatMap((event): [string, string][] =>
    event.type === 'run.identified' && event.model ? [[event.taskId, event.model]] : [],
  );
}
