import type { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';

const AT_ONCE = 500;

/** Reads the log of a session up to where it is now. */
export async function* readLog(
  client: BatonClient,
  { session_id, head_cursor }: { session_id: string; head_cursor: number },
): AsyncGenerator<LogEvent> {
  for (let after = 0; after < head_cursor; ) {
    const { events } = await client.events.find({ session_id, after, limit: AT_ONCE });
    if (events.length === 0) return;
    for (const event of events) {
      if (event.cursor > head_cursor) return;
      after = event.cursor;
      yield event;
    }
  }
}
