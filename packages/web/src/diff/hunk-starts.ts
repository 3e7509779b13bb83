import type { DiffLine } from './parse-diff.ts';

/** Changes with more unchanged lines between them are different hunks, as in Git with three lines of context. */
const MOST_BETWEEN = 6;

/** Numbers of the hunks by their first changed lines; a hunk stays the same one when lines around it are expanded. */
export function hunkStarts(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, number> {
  const starts = new Map<DiffLine, number>();
  let between = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const { kind } = line;
    if (kind === 'gap') between = Number.POSITIVE_INFINITY;
    else if (kind === 'same') between += 1;
    else {
      if (between > MOST_BETWEEN) starts.set(line, starts.size);
      between = 0;
    }
  }
  return starts;
}
