import { useSyncExternalStore } from 'react';
import { keepDraft, keptDraft, onDraft } from './draft.ts';

/** The current draft with its files; it is restored when the view is opened again. */
export function useDraft(key: string) {
  const { text, files } = useSyncExternalStore(onDraft, () => keptDraft(key));
  return {
    text,
    files,
    write: (next: string) => keepDraft(key, { text: next }),
    attach: (next: readonly File[]) => keepDraft(key, { files: next }),
  };
}
