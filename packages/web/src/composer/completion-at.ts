/** The word before the caret that asks for a completion. */
export type Begun = { trigger: string; search: string; start: number };

/** Which word with a trigger is being written at the caret; a trigger counts at the beginning of a word. */
export function completionAt(
  text: string,
  caret: number,
  triggers: readonly string[],
): Begun | undefined {
  const word = /(^|\s)(\S*)$/.exec(text.slice(Math.max(0, caret - 300), caret))?.[2] ?? '';
  const trigger = triggers.find((each) => word.startsWith(each));
  if (trigger === undefined) return undefined;
  return { trigger, search: word.slice(trigger.length), start: caret - word.length };
}

/** The text with the word replaced, and where the caret stands then. */
export function completed(
  text: string,
  { trigger, search, start }: Begun,
  value: string,
): { text: string; caret: number } {
  const end = start + trigger.length + search.length;
  const gap = /^\s/.test(text.slice(end)) ? '' : ' ';
  const inserted = `${trigger}${value}${gap}`;
  return {
    text: text.slice(0, start) + inserted + text.slice(end),
    caret: start + inserted.length,
  };
}
