import { useState } from 'react';
import type { Asked } from './asked.ts';

/** What was begun of answers: cards are taken away when they are scrolled far or another view is looked at. */
const drafts = new Map<string, Map<string, unknown>>();

/** One part of an answer that is being written; kept until it is given. */
export function useAnswerDraft<Part>(
  asked: Asked,
  part: string,
  atFirst: Part,
): [Part, (value: Part) => void] {
  const kept = drafts.get(cardKey(asked))?.get(part) as Part | undefined;
  const [value, setValue] = useState<Part>(kept ?? atFirst);
  const change = (next: Part) => {
    const parts = drafts.get(cardKey(asked)) ?? new Map<string, unknown>();
    drafts.set(cardKey(asked), parts.set(part, next));
    setValue(next);
  };
  return [value, change];
}

/** Forgets what was written for an answer that was given. */
export function forgetDraft(asked: Asked): void {
  drafts.delete(cardKey(asked));
}

/** Forgets everything that was begun. */
export function forgetAnswers(): void {
  drafts.clear();
}

/** Names a request: agents count theirs anew in every task. */
export function cardKey({ task_id, request_id }: Asked): string {
  return `${task_id} ${request_id}`;
}
