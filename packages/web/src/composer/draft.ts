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

/** Files cannot be kept as text; they stay as long as the page does. */
const files = new Map<string, readonly File[]>();
const NONE: readonly File[] = [];

/** The files that somebody had attached to what was begun. */
export function keptFiles(key: string): readonly File[] {
  return files.get(key) ?? NONE;
}

/** Keeps the files that go along with what somebody writes. */
export function keepFiles(key: string, attached: readonly File[]): void {
  if (attached.length === 0) files.delete(key);
  else files.set(key, attached);
}
