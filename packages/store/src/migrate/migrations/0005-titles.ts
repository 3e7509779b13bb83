import type { LogEvent } from '@baton/protocol';
import type { Kysely } from 'kysely';

type Sessions = { session_id: string; title: string };
type Tasks = { session_id: string; position: number };
type Log = { session_id: string; last_cursor: number; body: string };

/** Sessions without a title are named after their first prompt, as it was before anybody changed it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const db = database.withTables<{ sessions: Sessions; tasks: Tasks; log: Log }>();
  const first = await db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.session_id', 'tasks.session_id')
    .select(({ fn }) => ['tasks.session_id', fn.min<number>('tasks.position').as('position')])
    .where('sessions.title', '=', '')
    .groupBy('tasks.session_id')
    .execute();
  for (const { session_id, position } of first) {
    const row = await db
      .selectFrom('log')
      .select('body')
      .where('session_id', '=', session_id)
      .where('last_cursor', '>=', position)
      .orderBy('last_cursor')
      .limit(1)
      .executeTakeFirst();
    const events = JSON.parse(row?.body ?? '[]') as LogEvent[];
    const prompt = events.find(({ cursor }) => cursor === Number(position));
    if (prompt?.type !== 'prompt.queued') continue;
    await db
      .updateTable('sessions')
      .set({ title: titleOf(prompt.prompt) })
      .where('session_id', '=', session_id)
      .execute();
  }
}

const MOST_CHARACTERS = 120;

/** The first line of a prompt, as titles were written when this migration was released; not the code of today. */
function titleOf(prompt: string): string {
  const line = (/\S.*/.exec(prompt)?.[0] ?? '').trimEnd();
  const cut = line.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '');
  const title = line.length > MOST_CHARACTERS ? `${cut.trimEnd()}…` : line;
  return title.replaceAll('\0', '\uFFFD');
}
