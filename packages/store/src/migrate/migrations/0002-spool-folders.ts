import type { Kysely } from 'kysely';

/** Adds the folder where an executor spools unreported events, for the daemon that takes it over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('executors').addColumn('spool_folder', 'text').execute();
}
