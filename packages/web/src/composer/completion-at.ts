/** The word around the caret that asks for a completion, and what was written of it up to the caret. */
export type Begun = { trigger: string; search: string; start: number; end: number };

/** A word is looked for no further from the caret. */
const NEAR = 300;
const PLAIN = /(?:^|\s)(\S*)$/;
/** Names with spaces are quoted after the trigger, as agents read them; the closing quote may be missing yet. */
const QUOTED = /(?:^|\s)(\S)"([^"\n]*)("?)$/;
/** What is behind the caret belongs to the word as far as a path goes, but not the mark that ends a sentence. */
const REST = /^[\p{L}\p{N}_./-]*[\p{L}\p{N}_]/u;
const QUOTED_REST = /^[^"\n]*"(?=\s|$)/;

/** Which word with a trigger is being written at the caret; a trigger counts at the beginning of a word. */
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

/** The text with the word replaced, and the position of the caret: after the space behind it. */
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
