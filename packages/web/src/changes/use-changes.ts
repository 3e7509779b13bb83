import { useRecords } from '../data/queries.ts';

/** The changed files of a session, with their changes. */
export function useChanges(session_id: string, enabled = true) {
  return useRecords(
    ['changes', session_id],
    (client) => client.transcript.changes({ session_id }),
    {
      enabled,
    },
  );
}

/** The number of changed files: of the loaded ones where they are shown, else a count from the daemon. */
export function useChangedCount(
  session_id: string,
  { isShown, isReady }: { isShown: boolean; isReady: boolean },
): number {
  const whole = useChanges(session_id, isShown);
  const brief = useRecords(
    ['changes', session_id, 'count'],
    async (client) => {
      const { files } = await client.transcript.changes({ session_id, brief: true });
      return files.length;
    },
    { enabled: isReady && !isShown },
  );
  const isWholeNewer = whole.dataUpdatedAt > brief.dataUpdatedAt;
  return (isShown || isWholeNewer ? whole.data?.files.length : brief.data) ?? brief.data ?? 0;
}
