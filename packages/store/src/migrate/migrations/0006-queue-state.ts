import type { Kysely } from 'kysely';

/**
 * A session can pause its queue, a task counts the executors that died before its agent started, and a lease says
 * whether an agent may have seen its task. Daemons of earlier versions never say that: under their leases it may have.
 */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  const add = (table: string, column: string, byDefault: number) =>
    schema
      .alterTable(table)
      .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(byDefault))
      .execute();
  await add('sessions', 'queue_paused', 0);
  await add('tasks', 'failed_starts', 0);
  await add('leases', 'agent_started', 1);
  await add('leases', 'renewals', 0);
}
