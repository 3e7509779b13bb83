import { plainOutput, shortened } from '@baton/protocol';
import { bytes, some } from '../../text/amounts.ts';

/** Number of lines at each end that a collapsed output shows. */
const FIRST = 3;
const LAST = 6;
/** Number of characters at each end that are searched for these lines, and the limit of a line. */
const NEAR = 4000;
const LONGEST_LINE = 300;

/** The ends of an output; without `hidden` they are the whole output. */
type Preview = { first: string; last: string; hidden?: { lines: number } };

/** The visible part of a collapsed output; only its ends are read. */
export function previewOf(text: string): Preview {
  const head = plainOutput(text.slice(0, NEAR)).split('\n');
  const isShort = text.length <= NEAR && head.every((line) => line.length <= LONGEST_LINE);
  if (isShort && trimmed(head).length <= FIRST + LAST + 1) {
    return { first: trimmed(head).join('\n'), last: '' };
  }
  const tail = trimmed(plainOutput(text.slice(-NEAR)).split('\n'));
  const lines = countLines(text);
  const isOneLine = lines <= FIRST + LAST;
  return {
    first: head
      .slice(0, isOneLine ? 1 : FIRST)
      .map((line) => shortened(line, LONGEST_LINE))
      .join('\n'),
    last: isOneLine
      ? ''
      : tail
          .slice(-LAST)
          .map((line) => shortened(line, LONGEST_LINE))
          .join('\n'),
    hidden: { lines: isOneLine ? 0 : lines - FIRST - LAST },
  };
}

/** Label of the button that shows the rest; it says "all" only if nothing was cut. */
export function hiddenWords(
  { lines }: { lines: number },
  { here, cut = 0 }: { here: number; cut?: number | undefined },
): string {
  if (lines > 0) return `Show ${some(lines, 'more line')}`;
  return cut > 0 ? `Show available ${bytes(here)}` : `Show all ${bytes(here)}`;
}

function trimmed(lines: string[]): string[] {
  const end = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, end + 1);
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.endsWith('\n') ? lines - 1 : lines;
}
