import type { FileDifference } from '@baton/protocol';
import type { Store } from '@baton/store';

type Changes = { files: readonly FileDifference[]; total: number };

/** Adds a notice about restored files to the log of a session. */
export async function noteRestored(
  store: Store,
  sessionId: string,
  { number, changes }: { number: number; changes: Changes },
): Promise<void> {
  const message = wordsOf(number, changes);
  await store.log.append(sessionId, () => ({
    drafts: [{ type: 'session.notice', level: 'info', code: 'undone', message }],
    result: undefined,
  }));
}

function wordsOf(number: number, { files, total }: Changes): string {
  if (total === 0) return `The files are already as at checkpoint ${number}.`;
  const names = files.slice(0, 3).map(({ path }) => path);
  const more = total > names.length ? ` and ${total - names.length} more` : '';
  return `Restored the files of checkpoint ${number}: ${names.join(', ')}${more}.`;
}
