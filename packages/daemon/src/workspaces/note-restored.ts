import type { FileDifference } from '@baton/protocol';
import type { Store } from '@baton/store';

type RestoredFiles = {
  /** The checkpoint. */
  number: number;
  files: readonly FileDifference[];
  total: number;
  /** Files that stay as they are, because somebody has changed them since. */
  kept: readonly string[];
};

/** Adds a notice about restored files to the log of a session. */
export async function noteRestored(
  store: Store,
  sessionId: string,
  restored: RestoredFiles,
): Promise<void> {
  const message = wordsOf(restored);
  await store.log.append(sessionId, () => ({
    drafts: [{ type: 'session.notice', level: 'info', code: 'undone', message }],
    result: undefined,
  }));
}

function wordsOf({ number, files, total, kept }: RestoredFiles): string {
  const left =
    kept.length > 0 ? `Kept ${some(kept, kept.length)}, changed since by someone else.` : '';
  if (total === 0) return left || `The files are already as at checkpoint ${number}.`;
  const paths = files.map(({ path }) => path);
  return `Restored the files of checkpoint ${number}: ${some(paths, total)}. ${left}`.trim();
}

/** The first of some paths, and the number of the others. */
function some(paths: readonly string[], total: number): string {
  const first = paths.slice(0, 3);
  return `${first.join(', ')}${total > first.length ? ` and ${total - first.length} more` : ''}`;
}
