import type { Kysely } from 'kysely';
import { createIndex, createTable } from './create-table.ts';

/** Changes of files on other machines, as their executors reported them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'reported_changes', ['change_id'], {
    change_id: 'text',
    session_id: 'text',
    task_id: 'text',
    compare: 'text',
    host: 'text',
    from_tree: 'text',
    to_tree: 'text',
    facts: 'text',
    patch: 'bytes?',
    at: 'number',
  });
  await createIndex(db, 'reported_changes', ['session_id']);
}
