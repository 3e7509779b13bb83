import { forgetAll } from '../data/draft.ts';

const WRITER = 'baton.writer';

/** Keeps the drafts of a user in this tab, and forgets them when another user signs in. */
export function takeDrafts(userId: string): void {
  if (sessionStorage.getItem(WRITER) === userId) return;
  forgetDrafts();
  sessionStorage.setItem(WRITER, userId);
}

/** Forgets the drafts in this tab. */
export function forgetDrafts(): void {
  forgetAll();
  sessionStorage.removeItem(WRITER);
}
