import type { LineSide } from './diff-review.ts';
import type { DiffLine } from './parse-diff.ts';

/** Returns a function that gives the text of lines of one side, as far as they are in the diff. */
export function quoteIn(
  lines: readonly DiffLine[],
  side: LineSide,
): (first: number, last: number) => string {
  return (first, last) =>
    lines
      .filter(({ kind, before, after }) => {
        const number = kind === 'gap' ? undefined : side === 'old' ? before : after;
        return number !== undefined && first <= number && number <= last;
      })
      .map(({ text }) => `${text}\n`)
      .join('');
}
