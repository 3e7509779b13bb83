import type { LogEvent } from '@baton/protocol';
import type { Db } from '../engine/engine.ts';
import type { TaskRow } from '../schema/tables.ts';

/** True if the executor that has a task runs it with a stricter permission mode than it was queued with. */
export async function wasNarrowed(
  db: Db,
  { session_id, task_id, position, executor_id }: TaskRow,
): Promise<boolean> {
  const rows = await db
    .selectFrom('log')
    .select('body')
    .where('session_id', '=', session_id)
    .where('last_cursor', '>', position)
    // It was written alone; what agents say comes in batches, which need not be read.
    .where('events', '=', 1)
    .where('body', 'like', '%"task.narrowed"%')
    .execute();
  const events = rows.flatMap(({ body }) => JSON.parse(body) as LogEvent[]);
  return events.some(
    (event) =>
      event.type === 'task.narrowed' &&
      event.taskId === task_id &&
      event.executorId === executor_id,
  );
}
