/** Marks that change the direction of writing: with them a command can look like another one. */
const DIRECTION = /[\u202A-\u202E\u2066-\u2069]/g;

/** A text in one line; spaces between words stay: those of a path are a part of it. */
export function inOneLine(text: string): string {
  const plain = text.replaceAll(DIRECTION, '');
  return plain.replaceAll(/\s+/g, (space) => (/[^ ]/.test(space) ? ' ' : space)).trim();
}

/** A text without the ends of its last lines; an expression would look for these at every other one. */
export function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}
