import { type Kysely, sql } from 'kysely';

/** The agent of a native session is the one that named it; another that was tried in vain stood there before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update sessions set native_backend = (
      select tasks.backend from tasks
      where tasks.session_id = sessions.session_id
        and tasks.native_session_id = sessions.native_session_id
      order by tasks.position desc limit 1
    )
  `.execute(db);
}
