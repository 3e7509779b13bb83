import type { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';

/** Events that followers received, by session. */
export type Sightings = ReadonlyMap<string, LogEvent[]>;

/** Follows sessions until the signal is aborted; the sightings grow meanwhile. */
export function followAll(
  client: BatonClient,
  sessionIds: Iterable<string>,
  signal: AbortSignal,
): { seen: Sightings; ended: Promise<unknown> } {
  const seen = new Map<string, LogEvent[]>();
  const following = [...new Set(sessionIds)].map(async (sessionId) => {
    const own: LogEvent[] = [];
    seen.set(sessionId, own);
    for await (const event of client.follow(sessionId, { signal })) own.push(event);
  });
  return { seen, ended: Promise.all(following) };
}
