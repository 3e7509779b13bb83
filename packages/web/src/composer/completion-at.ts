/** The word around the caret that can be completed, and the part of it before the caret. */
export type Begun = { trigger: string; search: string; start: number; end: number };

/** Maximum distance from the caret at which a word can start or end. */
const NEAR = 300;
const PLAIN = /(?:^|\s)(\S*)$/;
/** Names with spaces are quoted after the trigger, in the syntax of agents; the closing quote may still be missing. */
const QUOTED = /(?:^|\s)(\S)"([^"\n]*)("?)$/;
/** The rest of the word after the caret: characters of a path, without the punctuation at the end of a sentence. */
const REST = /^[\p{L}\p{N}_./-]*[\p{L}\p{N}_]/u;
const QUOTED_REST = /^[^"\n]*"(?=\s|$)/;

/** Returns the word with a trigger at the caret; a trigger only counts at the beginning of a word. */
export function completionAt(
  text: string,
  caret: number,
  triggers: readonly string[],
): Begun | undefined {
  const before = text.slice(Math.max(0, caret - NEAR), caret);
  const behind = text.slice(caret, caret + NEAR);
  const [, sign = '', name = '', close = ''] = QUOTED.exec(before) ?? [];
  if (triggers.includes(sign)) {
    const rest = close === '' ? (QUOTED_REST.exec(behind)?.[0] ?? '') : '';
    const start = caret - `${sign}"${name}${close}`.length;
    return { trigger: sign, search: name, start, end: caret + rest.length };
  }
  const word = PLAIN.exec(before)?.[1] ?? '';
  const trigger = triggers.find((each) => word.startsWith(each));
  if (trigger === undefined) return undefined;
  const rest = REST.exec(behind)?.[0] ?? '';
  const search = word.slice(trigger.length);
  return { trigger, search, start: caret - word.length, end: caret + rest.length };
}

/** Returns the text with the word replaced, and the position of the caret: after the space that follows the word. */
export function completed(
  text: string,
  { trigger, start, end }: Begun,
  value: string,
): { text: string; caret: number } {
  const inserted = `${trigger}${quoted(value)} `;
  const behind = text.slice(end).replace(/^ /, '');
  return { text: text.slice(0, start) + inserted + behind, caret: start + inserted.length };
}

/** A name that contains a quote cannot be quoted. */
function quoted(value: string): string {
  return /\s/.test(value) && !value.includes('"') ? `"${value}"` : value;
}
