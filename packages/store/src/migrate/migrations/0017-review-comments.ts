import type { Kysely } from 'kysely';
import { createIndex, createTable } from './create-table.ts';

/** Comments of people on lines of a change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'review_comments', ['comment_id'], {
    comment_id: 'text',
    session_id: 'text',
    created_by: 'text?',
    created_at: 'number',
    updated_at: 'number',
    path: 'text',
    side: 'text',
    line: 'number?',
    end_line: 'number?',
    tree: 'text',
    quote: 'text',
    text: 'text',
    task_id: 'text?',
    sent_at: 'number?',
    resolved_by: 'text?',
    resolved_at: 'number?',
  });
  await createIndex(db, 'review_comments', ['session_id']);
}
