import { shortened } from '@baton/protocol';

const MOST_CHARACTERS = 120;

/** The beginning of a prompt, which represents it in lists. */
export function descriptionOf(prompt: string): string {
  return storable(prompt.substring(0, MOST_CHARACTERS));
}

/** The name of a session that was begun without one: the first line of its first prompt. */
export function titleOf(prompt: string): string {
  const [line = ''] = /\S.*/.exec(prompt) ?? [];
  return storable(shortened(line.trimEnd(), MOST_CHARACTERS));
}

/** PostgreSQL has no place for a NUL in a text; the log keeps it. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
