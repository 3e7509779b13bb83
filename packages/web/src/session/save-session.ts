import type { BatonClient } from '@baton/client';
import type { SessionRecord } from '@baton/protocol';
import { attempt } from '../data/attempt.ts';

/** Saves a session to a file, to read it or to keep it; how that is done is loaded when somebody wants it. */
export function saveSession(
  client: BatonClient,
  session: SessionRecord,
  form: 'markdown' | 'events',
): Promise<boolean> {
  return attempt(async () => {
    const { downloadEvents, downloadMarkdown } = await import('./export.ts');
    await (form === 'events' ? downloadEvents : downloadMarkdown)(client, session);
  });
}
