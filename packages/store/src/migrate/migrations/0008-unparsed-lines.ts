import type { Kysely } from 'kysely';

type Entries = {
  session_id: string;
  entry_key: string;
  task_id: string | null;
  kind: string;
  first_cursor: number;
  through: number;
  body: string;
};
type Tables = { entries: Entries };

/** The unrecognized lines of a task are one entry that counts them, instead of one entry each. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const db = database.withTables<Tables>();
  const rows = await db
    .selectFrom('entries')
    .select(['session_id', 'task_id', 'first_cursor', 'through', 'body'])
    .where('kind', '=', 'unparsed')
    .orderBy('session_id')
    .orderBy('first_cursor')
    .execute();
  const byTask = Map.groupBy(rows, ({ session_id, task_id }) => `${session_id} ${task_id}`);
  for (const [first, ...more] of byTask.values()) {
    if (!first) continue;
    const { session_id, task_id, first_cursor } = first;
    const { line: _line, source: _source, cutBytes: _cut, ...entry } = JSON.parse(first.body);
    const through = Number((more.at(-1) ?? first).through);
    const entry_key = `${task_id}:unparsed`;
    const body = JSON.stringify({ ...entry, key: entry_key, through, count: 1 + more.length });
    await db
      .deleteFrom('entries')
      .where('session_id', '=', session_id)
      .where('task_id', '=', task_id)
      .where('kind', '=', 'unparsed')
      .where('first_cursor', '>', first_cursor)
      .execute();
    await db
      .updateTable('entries')
      .set({ entry_key, through, body })
      .where('session_id', '=', session_id)
      .where('first_cursor', '=', first_cursor)
      .execute();
  }
}
