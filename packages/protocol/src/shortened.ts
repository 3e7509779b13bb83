/** Truncates a text to this many characters, with "…" at the end. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${beginningOf(text, most - 1).trimEnd()}…`;
}

/** The first characters of a text, this many or one less, to keep surrogate pairs intact. */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
