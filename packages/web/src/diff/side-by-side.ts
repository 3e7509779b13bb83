import type { DiffLine } from './parse-diff.ts';

/** What stands beside each other: the file before, and after. */
export type Pair = { before?: DiffLine | undefined; after?: DiffLine | undefined };

/** Puts the lines that were removed beside those that came in their place. */
export function sideBySide(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const settle = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      pairs.push({ before: removed[index], after: added[index] });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'remove') {
      // A removal behind an addition begins another change.
      if (added.length > 0) settle();
      removed.push(line);
    } else if (line.kind === 'add') added.push(line);
    else {
      settle();
      pairs.push({ before: line, after: line });
    }
  }
  settle();
  return pairs;
}
