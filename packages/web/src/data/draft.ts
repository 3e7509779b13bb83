/** A prompt that has not been sent. */
export type Draft = { text: string; files: readonly File[] };

const PREFIX = 'baton.draft.';
const PAUSE_MS = 300;
const NONE: Draft = { text: '', files: [] };

const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

/** The draft of this tab; files are only kept until the page is closed. */
export function keptDraft(key: string): Draft {
  const known = drafts.get(key);
  if (known) return known;
  const text = sessionStorage.getItem(PREFIX + key);
  const draft = text === null ? NONE : { text, files: [] };
  drafts.set(key, draft);
  return draft;
}

/** Saves a draft until the tab is closed; all views that show it are notified. */
export function keepDraft(key: string, changes: Partial<Draft>): void {
  drafts.set(key, { ...keptDraft(key), ...changes });
  for (const listener of listeners) listener();
  // To keep a long text takes as long as a key may take.
  if (timer !== undefined) return;
  timer = setTimeout(storeAll, PAUSE_MS);
  addEventListener('pagehide', storeAll, { once: true });
}

/** True if files are attached to a draft; they are lost when the page is closed. */
export function hasFiles(): boolean {
  return [...drafts.values()].some(({ files }) => files.length > 0);
}

/** Removes the part of a draft that was sent, and keeps text and files that were added since. */
export function draftSent(key: string, { text, files }: Draft): void {
  const now = keptDraft(key);
  keepDraft(key, {
    text: now.text.startsWith(text) ? now.text.slice(text.length) : now.text,
    files: now.files.filter((file) => !files.includes(file)),
  });
}

/** Deletes all drafts. */
export function forgetAll(): void {
  drafts.clear();
  const names = Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
  for (const name of names) sessionStorage.removeItem(name);
  for (const listener of listeners) listener();
}

/** Calls a function whenever a draft has changed. */
export function onDraft(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let timer: ReturnType<typeof setTimeout> | undefined;

function storeAll(): void {
  clearTimeout(timer);
  timer = undefined;
  removeEventListener('pagehide', storeAll);
  for (const [key, { text }] of drafts) {
    if (text === '') sessionStorage.removeItem(PREFIX + key);
    else if (sessionStorage.getItem(PREFIX + key) !== text) store(PREFIX + key, text);
  }
}

function store(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // There is only so much room: then it stays as long as the page does.
  }
}
