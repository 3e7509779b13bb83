import { lexer, type Token } from 'marked';

/** An independent block of Markdown; its text shows whether it has changed. */
export type Block = {
  start: number;
  raw: string;
  /** The parsed block; undefined if the text is too long to parse. */
  token?: Token;
};

/** A longer text is not parsed: that would take too long. */
const LONGEST = 200_000;

/** Parses a text that has grown since it was last parsed; only its end, which may have changed, is parsed again. */
export function continueBlocks(before: readonly Block[], written: string): Block[] {
  const text = written.includes('\r') ? written.replaceAll(/\r\n?/g, '\n') : written;
  const kept = unchanged(before, text);
  const last = kept.at(-1);
  let start = last ? last.start + last.raw.length : 0;
  const blocks = [...kept];
  const rest = text.slice(start);
  if (rest.length > LONGEST) return [...blocks, { start, raw: rest }];
  for (const token of lexer(rest)) {
    blocks.push({ start, raw: token.raw, token });
    start += token.raw.length;
  }
  return blocks;
}

/** The blocks that appended text cannot change: all but the last two, because a blank line may still be in a list. */
function unchanged(before: readonly Block[], text: string): readonly Block[] {
  const kept = before.slice(0, -2);
  const last = kept.at(-1);
  if (!last) return [];
  // Checking the end suffices: texts only grow, and one that was replaced begins anew.
  const isSame = text.startsWith(last.raw, last.start) && text.startsWith(kept[0]?.raw ?? '');
  return isSame ? kept : [];
}
