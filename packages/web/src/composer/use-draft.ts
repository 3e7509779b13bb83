import { useState } from 'react';
import { keepDraft, keepFiles, keptDraft, keptFiles } from './draft.ts';

/** What is being written, with its files; it is there again when somebody comes back. */
export function useDraft(key: string) {
  const [text, setText] = useState(() => keptDraft(key));
  const [files, setFiles] = useState(() => keptFiles(key));
  const write = (next: string) => {
    setText(next);
    keepDraft(key, next);
  };
  const attach = (next: readonly File[]) => {
    setFiles(next);
    keepFiles(key, next);
  };
  return { text, write, files, attach };
}
