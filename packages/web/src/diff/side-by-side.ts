import type { DiffLine } from './parse-diff.ts';

/** One row of the split view: the old line and the new line. */
export type Pair = { before?: DiffLine | undefined; after?: DiffLine | undefined };

/** Pairs removed lines with the lines that replaced them. */
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
      // A removal after an addition starts another change.
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
