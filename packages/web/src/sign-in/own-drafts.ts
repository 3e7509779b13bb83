import { forgetAll } from '../composer/draft.ts';

const WRITER = 'baton.writer';

/** Leaves what was begun to write to whoever wrote it, and nothing to anybody else who signs in. */
export function takeDrafts(userId: string): void {
  if (sessionStorage.getItem(WRITER) === userId) return;
  forgetDrafts();
  sessionStorage.setItem(WRITER, userId);
}

/** Forgets what was begun to write in this tab. */
export function forgetDrafts(): void {
  forgetAll();
  sessionStorage.removeItem(WRITER);
}
