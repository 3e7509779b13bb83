/**
 * Control and format characters, lone surrogates, spaces that a shell does not split at, and characters without a glyph.
 */
const UNSEEN =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{NChar}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]/gu;

const LETTER = String.raw`(?!\p{ASCII}|\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{S}]`;
/** Exceptions in texts: characters that are legitimate there and not marked. */
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
 * Shows a command, path or URL with a mark such as ⟨U+202E⟩ for each character that is invisible or changes the text
 * direction, so that it cannot pass for another one.
 */
export function showUnseen(text: string): string {
  return text.replaceAll(UNSEEN, mark);
}

/** Like `showUnseen`, for a single line: line breaks and tabs are marked too. */
export function showUnseenInLine(text: string): string {
  return showUnseen(text).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ⇥ ');
}

/** Like `showUnseen`, for the text of a file: characters that are legitimate in texts are not marked. */
export function showUnseenInText(text: string): string {
  return text.replaceAll(UNSEEN_IN_TEXTS, mark);
}

/** Formats a value as JSON for reading and editing; invisible characters are escaped. */
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
