import type { SessionRecord } from '@baton/protocol';

type Named = Pick<SessionRecord, 'session_id' | 'title' | 'cwd' | 'created_at'>;

/** Numbers for sessions with the same title as an older one in the list, such as forks; by session id. */
export function disambiguateTitles(sessions: readonly Named[]): Map<string, number> {
  const inOrder = sessions.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  const alike = Map.groupBy(inOrder, ({ title, cwd }) => title || cwd);
  return new Map(
    [...alike.values()].flatMap(([_first, ...others]) =>
      others.map(({ session_id }, place) => [session_id, place + 2] as const),
    ),
  );
}
