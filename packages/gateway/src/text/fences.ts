/** Longer fences are taken for text: closing and reopening them would leave no room for content. */
const MAX_FENCE = 16;
/** A longer language is omitted where a code block is reopened. */
const MAX_LANGUAGE = 32;
const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** An open code block. */
export type Fence = {
  /** The line that closes it. */
  readonly marker: string;
  /** The word after the opening fence. */
  readonly language: string;
};

/** The longest line that opens or closes a code block again, with its line break. */
export const MAX_FENCE_LINE = MAX_FENCE + MAX_LANGUAGE + 1;

/** The code block that is open after a line, given the one that was open before it. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const [, marker = '', rest = ''] = FENCE_LINE.exec(line.replace(/\r$/, '')) ?? [];
  if (marker === '' || marker.length > MAX_FENCE) return open;
  if (open) return closes(open, marker, rest) ? undefined : open;
  // Backticks after backticks are code within a line.
  if (marker.startsWith('`') && rest.includes('`')) return undefined;
  const [language = ''] = rest.trim().split(/\s/, 1);
  return { marker, language: language.length > MAX_LANGUAGE ? '' : language };
}

/** The code block that is open at the end of a text. */
export function openFence(text: string): Fence | undefined {
  return text
    .split('\n')
    .reduce<Fence | undefined>((open, line) => fenceAfter(line, open), undefined);
}

function closes(open: Fence, marker: string, rest: string): boolean {
  return marker.startsWith(open.marker) && rest.trim() === '';
}
