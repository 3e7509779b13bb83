import type { Kysely } from 'kysely';

/** A session knows whether a part of its cost is an estimate; before, every cost was the agent's own. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('sessions')
    .addColumn('cost_estimated', 'bigint', (definition) => definition.notNull().defaultTo(0))
    .execute();
}
