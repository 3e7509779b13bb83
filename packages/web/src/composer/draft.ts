/** A prompt that is ready to be sent. */
export type Draft = { text: string; files: readonly File[] };

const PREFIX = 'baton.draft.';

/** What somebody had begun to write in this tab. */
export function keptDraft(key: string): string {
  return sessionStorage.getItem(PREFIX + key) ?? '';
}

/** Keeps what somebody writes, until the tab is closed. */
export function keepDraft(key: string, text: string): void {
  if (text === '') sessionStorage.removeItem(PREFIX + key);
  else sessionStorage.setItem(PREFIX + key, text);
}
