import type { Kysely } from 'kysely';

/** The workspace of a session, and the change of its files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['workspace_request', 'workspace', 'changes']) {
    await db.schema.alterTable('sessions').addColumn(column, 'text').execute();
  }
}
