import { useState } from 'react';
import { keepDraft, keptDraft } from '../data/draft.ts';
import { requestKey } from '../data/request-key.ts';
import { parsed } from '../text/parsed.ts';
import type { Asked } from './asked.ts';

/** One part of a draft answer; saved with the prompt drafts until the answer is sent. */
export function useAnswerDraft<Part>(
  asked: Asked,
  part: string,
  atFirst: Part,
  /** Validates the saved value: an older version of the page may have saved another type. */
  isPart = (kept: unknown): boolean => typeof kept === typeof atFirst,
): [Part, (value: Part) => void] {
  const [value, setValue] = useState<Part>(() => {
    const kept = partsOf(asked)[part];
    return isPart(kept) ? (kept as Part) : atFirst;
  });
  const change = (next: Part) => {
    const text = JSON.stringify({ ...partsOf(asked), [part]: next });
    keepDraft(draftKey(asked), { text });
    setValue(next);
  };
  return [value, change];
}

/** Deletes the draft of an answer that was sent. */
export function forgetDraft(asked: Asked): void {
  keepDraft(draftKey(asked), { text: '' });
}

function partsOf(asked: Asked): Record<string, unknown> {
  const { text } = keptDraft(draftKey(asked));
  return (parsed(text) as Record<string, unknown> | undefined) ?? {};
}

function draftKey(asked: Asked): string {
  return `answer ${requestKey(asked)}`;
}
