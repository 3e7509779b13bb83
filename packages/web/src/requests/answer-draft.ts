import { useState } from 'react';
import { keepDraft, keptDraft } from '../composer/draft.ts';
import { parsed } from '../text/parsed.ts';
import type { Asked } from './asked.ts';
import { requestKey } from './request-key.ts';

/** One part of an answer that is being written; kept until it is given, in the place where prompts are. */
export function useAnswerDraft<Part>(
  asked: Asked,
  part: string,
  atFirst: Part,
  /** What an older page kept may be of another kind. */
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

/** Forgets what was written for an answer that was given. */
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
