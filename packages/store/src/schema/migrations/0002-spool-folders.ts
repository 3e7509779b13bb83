import type { Kysely } from 'kysely';

/** Where an executor keeps what it has not reported, for whoever has to take it over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('executors').addColumn('spool_folder', 'text').execute();
}
