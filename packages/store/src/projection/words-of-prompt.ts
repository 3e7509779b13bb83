const MOST_CHARACTERS = 120;

/** The beginning of a prompt, which stands for it in lists. */
export function descriptionOf(prompt: string): string {
  return storable(prompt.substring(0, MOST_CHARACTERS));
}

/** The name of a session that was begun without one: the first line of its first prompt. */
export function titleOf(prompt: string): string {
  const [line = ''] = /\S.*/.exec(prompt) ?? [];
  return storable(shortened(line.trimEnd()));
}

function shortened(line: string): string {
  if (line.length <= MOST_CHARACTERS) return line;
  // Half of a character is none.
  const beginning = line.substring(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${beginning.trimEnd()}…`;
}

/** PostgreSQL has no place for a NUL in a text; the log keeps it. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
