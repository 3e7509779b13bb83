import { forgetPrompts } from '../composer/draft.ts';
import { forgetAnswers } from '../requests/answer-draft.ts';

const WRITER = 'baton.writer';

/** Leaves what was begun to write to whoever wrote it, and nothing to anybody else who signs in. */
export function takeDrafts(userId: string): void {
  if (sessionStorage.getItem(WRITER) === userId) return;
  forgetDrafts();
  sessionStorage.setItem(WRITER, userId);
}

/** Forgets what was begun to write in this tab. */
export function forgetDrafts(): void {
  forgetPrompts();
  forgetAnswers();
  sessionStorage.removeItem(WRITER);
}
