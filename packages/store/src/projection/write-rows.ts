import type { Db } from '../engine/engine.ts';
import type { EntryRow, RequestRow, SessionRow, TaskRow } from '../schema/tables.ts';

const ENTRIES_AT_ONCE = 50;

/** A row before the change, undefined if it is new, and after it. */
export type Change<Row> = { before: Row | undefined; row: Row };

/** Writes a session that is new or has changed. */
export async function writeSession(db: Db, { before, row }: Change<SessionRow>): Promise<void> {
  if (!before) {
    await db.insertInto('sessions').values(row).execute();
    return;
  }
  const { session_id } = row;
  const changed = changedColumns(before, row);
  await db.updateTable('sessions').set(changed).where('session_id', '=', session_id).execute();
}

/** Writes tasks that are new or have changed. */
export async function writeTasks(db: Db, changes: Iterable<Change<TaskRow>>): Promise<void> {
  for (const { before, row } of changes) {
    const { task_id, ...others } = row;
    if (!before) {
      await db
        .insertInto('tasks')
        .values(row)
        .onConflict((conflict) => conflict.column('task_id').doUpdateSet(others))
        .execute();
      continue;
    }
    const changed = changedColumns(before, row);
    if (Object.keys(changed).length === 0) continue;
    await db.updateTable('tasks').set(changed).where('task_id', '=', task_id).execute();
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

/** Writes entries that are new or have changed, many with one statement. */
export async function writeEntries(db: Db, rows: readonly EntryRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ENTRIES_AT_ONCE) {
    await db
      .insertInto('entries')
      .values(rows.slice(start, start + ENTRIES_AT_ONCE))
      .onConflict((conflict) =>
        conflict.columns(['session_id', 'first_cursor']).doUpdateSet(({ ref }) => ({
          through: ref('excluded.through'),
          open: ref('excluded.open'),
          body: ref('excluded.body'),
        })),
      )
      .execute();
  }
}

/** Most events change few columns of a row, and every index over a column that is set is written anew. */
function changedColumns<Row extends object>(before: Row, row: Row): Partial<Row> {
  const columns = Object.keys(row) as (keyof Row)[];
  return Object.fromEntries(
    columns
      .filter((column) => row[column] !== before[column])
      .map((column) => [column, row[column]]),
  ) as Partial<Row>;
}
