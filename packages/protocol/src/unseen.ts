/** Controls, format characters, halves of characters, spaces that are none for a shell, and what has no look at all. */
const UNSEEN = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** What words of some languages and pictures are made with, other spaces, and the ends of lines elsewhere. */
const IN_TEXTS = /^(?:\u200C|\u200D|\uFE0E|\uFE0F|\r|\p{Z})$/u;

/**
 * A command, path or address as it is: what turns the direction of writing or cannot be seen is a mark like ⟨U+202E⟩,
 * so that nothing looks like something else.
 */
export function showUnseen(text: string): string {
  return text.replaceAll(UNSEEN, mark);
}

/** The lines of a file, with marks as in a command, but for what belongs into a text. */
export function showUnseenInText(text: string): string {
  return text.replaceAll(UNSEEN, (unseen) => (IN_TEXTS.test(unseen) ? unseen : mark(unseen)));
}

/** A value as JSON that a person can read and change: what cannot be seen is written as an escape. */
export function escapedJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2) ?? '';
  return json.replaceAll(UNSEEN, (unseen) => unseen.split('').map(escaped).join(''));
}

function mark(character: string): string {
  return `⟨U+${hex(character.codePointAt(0)).toUpperCase()}⟩`;
}

function escaped(half: string): string {
  return `\\u${hex(half.charCodeAt(0))}`;
}

function hex(code = 0): string {
  return code.toString(16).padStart(4, '0');
}
