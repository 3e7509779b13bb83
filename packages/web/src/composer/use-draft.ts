import { useSyncExternalStore } from 'react';
import { keepDraft, keptDraft, onDraft } from './draft.ts';

/** What is being written, with its files; it is there again when somebody comes back. */
export function useDraft(key: string) {
  const { text, files } = useSyncExternalStore(onDraft, () => keptDraft(key));
  return {
    text,
    files,
    write: (next: string) => keepDraft(key, { text: next }),
    attach: (next: readonly File[]) => keepDraft(key, { files: next }),
  };
}
