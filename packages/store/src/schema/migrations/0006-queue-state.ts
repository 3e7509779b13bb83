import type { Kysely } from 'kysely';

/**
 * A session can pause its queue, a task counts the executors that died before its agent started, and a lease says
 * whether an agent may have seen its task. Executors of earlier versions never say that, so theirs may have.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const add = (table: string, column: string) =>
    schema
      .alterTable(table)
      .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
      .execute();
  await add('sessions', 'queue_paused');
  await add('tasks', 'failed_starts');
  await add('leases', 'agent_started');
  await add('leases', 'renewals');
  const db = database.withTables<{ leases: { agent_started: number } }>();
  await db.updateTable('leases').set({ agent_started: 1 }).execute();
}
