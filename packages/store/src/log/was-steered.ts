import type { LogEvent } from '@baton/protocol';
import type { Db } from '../engine/engine.ts';
import { recordsOf } from '../records/records.ts';

export type GivenSteer = { taskId: string; steerId: string };

/** True if a task has already received the steering message with this id. */
export async function wasSteered(
  db: Db,
  sessionId: string,
  { taskId, steerId }: GivenSteer,
): Promise<boolean> {
  const task = await recordsOf(db).tasks.get(taskId);
  if (!task) return false;
  const rows = await db
    .selectFrom('log')
    .select('body')
    .where('session_id', '=', sessionId)
    .where('last_cursor', '>', task.position)
    // It was written alone; what agents say comes in batches, which need not be read.
    .where('events', '=', 1)
    .where('body', 'like', `%"steerId":"${steerId}"%`)
    .execute();
  const events = rows.flatMap(({ body }) => JSON.parse(body) as LogEvent[]);
  return events.some(
    (event) =>
      event.type === 'task.steered' && event.taskId === taskId && event.steerId === steerId,
  );
}
