import { type Fence, fenceAfter, MAX_FENCE_LINE, openFence } from './fences.ts';
import { type MentionRules, mentionSpans } from './mentions.ts';

/** Below this, a reopened code block would leave too little room for its content. */
export const MIN_LIMIT = 4 * MAX_FENCE_LINE;

/** One message of a longer text. `body` is a piece of the text; the fences around it are added. */
type MessagePart = {
  readonly opening: string;
  readonly body: string;
  readonly closing: string;
};

/**
 * Splits a text into messages of at most `limit` UTF-16 units. It splits between paragraphs, lines or words if possible,
 * and never within a surrogate pair or a mention. A code block that spans two messages is closed in the first and
 * reopened in the second, with its language. Blank messages are omitted, because platforms reject them.
 */
export function splitMessage(text: string, limit: number, mentions: MentionRules): string[] {
  return messageParts(text, limit, mentions)
    .map(({ opening, body, closing }) => `${opening}${body}${closing}`)
    .filter((part) => part.trim() !== '');
}

/** The parts of a text, whose bodies together are the text. */
export function messageParts(text: string, limit: number, mentions: MentionRules): MessagePart[] {
  if (limit < MIN_LIMIT) throw new RangeError(`The limit must be at least ${MIN_LIMIT}.`);
  const spans = mentionSpans(text, mentions);
  const parts: MessagePart[] = [];
  let fence: Fence | undefined;
  for (let start = 0; start < text.length; ) {
    const opening = fence ? `${fence.marker}${fence.language}\n` : '';
    const room = limit - opening.length;
    const end = partEnd(text, { start, room, fence, spans });
    const body = text.slice(start, end);
    // What a reader of this message sees decides, whatever the whole text says.
    fence = openFence(`${opening}${body}`);
    parts.push({ opening, body, closing: fence ? closingOf(fence, body) : '' });
    start = end;
  }
  return parts;
}

type Place = {
  start: number;
  /** Maximum length of the body and the closing fence together. */
  room: number;
  fence: Fence | undefined;
  spans: readonly [number, number][];
};

function partEnd(text: string, place: Place): number {
  const { start, room, fence } = place;
  const end = start + room;
  if (text.length <= end) {
    const body = text.slice(start);
    const open = openFence(fence ? `${fence.marker}\n${body}` : body);
    if (fits(body, open, room)) return text.length;
  }
  const lineEnds = lineEndsIn(text, place);
  const inSecondHalf = lineEnds.filter(({ at }) => at - start >= room / 2);
  const best = inSecondHalf.findLast(({ isParagraph }) => isParagraph) ?? inSecondHalf.at(-1);
  if (best) return best.at;
  const last = Math.min(text.length, end) - MAX_FENCE_LINE;
  const spans = place.spans.filter(([from, to]) => to > start && from < end);
  const keepsMeaning = (at: number) => isWhole(text, at, spans) && !touchesFence(text, at);
  const word = lastCut(start, last, (at) => /\s/.test(text[at - 1] ?? '') && keepsMeaning(at));
  if (word !== undefined && word - start >= room / 2) return word;
  const cut = lastCut(start, last, keepsMeaning) ?? lineEnds.at(-1)?.at;
  // There is no good place in a line of thousands of backticks.
  return cut ?? lastCut(start, last, (at) => isWhole(text, at, spans)) ?? last;
}

function fits(body: string, open: Fence | undefined, room: number): boolean {
  return body.length + (open ? closingOf(open, body).length : 0) <= room;
}

function closingOf({ marker }: Fence, body: string): string {
  return `${body.endsWith('\n') ? '' : '\n'}${marker}`;
}

/** Returns the line ends within the room. A line that opens a code block stays with the code that follows it. */
function lineEndsIn(
  text: string,
  { start, room, fence }: Place,
): { at: number; isParagraph: boolean }[] {
  const ends: { at: number; isParagraph: boolean }[] = [];
  let open = fence;
  for (let at = start; ; ) {
    const newline = text.indexOf('\n', at);
    if (newline < 0 || newline + 1 - start > room) return ends;
    const line = text.slice(at, newline);
    const after = fenceAfter(line, open);
    const opens = open === undefined && after !== undefined;
    const isParagraph = after === undefined && (line.trim() === '' || open !== undefined);
    at = newline + 1;
    open = after;
    if (!opens && at - start + (after?.marker.length ?? 0) <= room) ends.push({ at, isParagraph });
  }
}

/** Returns the last accepted position after `start`, up to `last`. */
function lastCut(
  start: number,
  last: number,
  accepts: (at: number) => boolean,
): number | undefined {
  for (let at = last; at > start; at -= 1) {
    if (accepts(at)) return at;
  }
  return undefined;
}

/** True if a cut splits neither a character nor a mention. */
function isWhole(text: string, at: number, spans: Place['spans']): boolean {
  const isInPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
  return !isInPair && !spans.some(([from, to]) => from < at && at < to);
}

/** True if a cut is within a fence, or would turn the rest of the line into one. */
function touchesFence(text: string, at: number): boolean {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  if (lineStart === at) return false;
  if (/^ {0,3}[`~]/.test(text.slice(at, at + 4))) return true;
  return /^ {0,3}(?:```|~~~)/.test(text.slice(lineStart, lineStart + 6));
}
