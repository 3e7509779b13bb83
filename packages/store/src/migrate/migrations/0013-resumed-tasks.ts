import type { Kysely } from 'kysely';

/** A task that resumes after a pause knows the requests that were answered meanwhile. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('tasks').addColumn('resumed_with', 'text').execute();
}
