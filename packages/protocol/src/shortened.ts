/** A text of at most so many characters: of a longer one the beginning, and "…" for the rest. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${beginningOf(text, most - 1).trimEnd()}…`;
}

/** The first characters of a text, so many or one less: half of one that takes two places is none. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
