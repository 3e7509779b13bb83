/**
 * Control and format characters, lone surrogates, spaces that a shell does not split at, and characters without a glyph.
 */
const UNSEEN =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{NChar}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]/gu;

const LETTER = String.raw`(?!\p{ASCII}|\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{S}]`;
/** What belongs into texts: there it is not marked. */
const IN_TEXTS = [
  // The ends of lines elsewhere, other spaces, and the pictograms of some fonts.
  String.raw`\r(?=\n)|\p{Zs}|\p{Co}`,
  // Inside words of some languages, and between emoji that make up one.
  String.raw`(?<=${LETTER}|\p{Emoji}\uFE0F)[\u200C\u200D](?=${LETTER})`,
  // Emoji in one look or the other, and the signs of keys.
  String.raw`(?<=(?!\p{ASCII})\p{Emoji})[\uFE0E\uFE0F]|(?<=[#*\d])\uFE0F(?=\u20E3)`,
];
const UNSEEN_IN_TEXTS = new RegExp(`(?!${IN_TEXTS.join('|')})${UNSEEN.source}`, 'gu');

/**
 * A command, path or address as it is: what turns the direction of writing or cannot be seen is a mark like ⟨U+202E⟩,
 * so that nothing looks like something else.
 */
export function showUnseen(text: string): string {
  return text.replaceAll(UNSEEN, mark);
}

/** The same where there is room for one line only: the ends of lines and tabs are marks too. */
export function showUnseenInLine(text: string): string {
  return showUnseen(text).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ⇥ ');
}

/** The lines of a file, with marks as in a command, but for what belongs into a text. */
export function showUnseenInText(text: string): string {
  return text.replaceAll(UNSEEN_IN_TEXTS, mark);
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
