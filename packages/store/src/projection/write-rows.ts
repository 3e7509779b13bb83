import type { Db } from '../engine/engine.ts';
import type { EntryRow, RequestRow, SessionRow, TaskRow } from '../schema/tables.ts';

/** Writes a session that is new or has changed. */
export async function writeSession(db: Db, row: SessionRow, isNew: boolean): Promise<void> {
  if (isNew) {
    await db.insertInto('sessions').values(row).execute();
    return;
  }
  const { session_id, created_at: _created, cwd: _cwd, ...changing } = row;
  await db.updateTable('sessions').set(changing).where('session_id', '=', session_id).execute();
}

/** Writes tasks that are new or have changed. */
export async function writeTasks(db: Db, rows: readonly TaskRow[]): Promise<void> {
  for (const row of rows) {
    const { task_id: _id, session_id: _session, position: _position, ...changing } = row;
    await db
      .insertInto('tasks')
      .values(row)
      .onConflict((conflict) => conflict.column('task_id').doUpdateSet(changing))
      .execute();
  }
}

/** Writes requests that are new or have changed. */
export async function writeRequests(db: Db, rows: readonly RequestRow[]): Promise<void> {
  for (const row of rows) {
    // An agent may use the id of a settled request again.
    const { task_id: _task, request_id: _id, ...changing } = row;
    await db
      .insertInto('requests')
      .values(row)
      .onConflict((conflict) => conflict.columns(['task_id', 'request_id']).doUpdateSet(changing))
      .execute();
  }
}

/** Writes entries that are new or have changed. */
export async function writeEntries(db: Db, rows: readonly EntryRow[]): Promise<void> {
  for (const row of rows) {
    const { through, open, body } = row;
    await db
      .insertInto('entries')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['session_id', 'first_cursor']).doUpdateSet({ through, open, body }),
      )
      .execute();
  }
}
