import type { Kysely } from 'kysely';

/** The worktree of a chat channel. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_channels').addColumn('workspace', 'text').execute();
}
