import { type RefObject, useEffect } from 'react';
import { keyGuard } from '../guard/use-key-guard.ts';
import { keepDraft, keptDraft } from './draft.ts';

/** Puts text that was typed elsewhere while a request was open at the end of the draft; typing goes on in the field. */
export function useTypedText(field: RefObject<HTMLTextAreaElement | null>, draftKey: string): void {
  useEffect(
    () =>
      keyGuard.setTextSink((text) => {
        keepDraft(draftKey, { text: keptDraft(draftKey).text + text });
        field.current?.focus();
      }),
    [field, draftKey],
  );
}
