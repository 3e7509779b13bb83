import type { DiffLine } from './parse-diff.ts';

/** Number of unchanged lines around a change, as in Git. */
const CONTEXT = 3;

/** Extra lines to show in the gap above the hunk with a number; the gap at the end has the number after the last. */
export type ExpandedGaps = ReadonlyMap<number, number>;

/**
 * Leaves out unchanged lines of a diff that has all lines of its file, as Git does, but for those that were expanded.
 * Extra lines appear above the hunk below the gap; at the end of the file, below the last hunk.
 */
export function expandContext(
  all: readonly DiffLine[],
  extra: ExpandedGaps,
  headings: readonly string[] = [],
): DiffLine[] {
  const lines = all.filter(({ kind }) => kind !== 'gap');
  const shown: DiffLine[] = [];
  const show = (first: number, end: number) => {
    for (const line of lines.slice(first, end)) shown.push(line);
  };
  let gap = 0;
  let start = 0;
  while (start < lines.length) {
    const end = endOfRun(lines, start);
    if (lines[start]?.kind !== 'same') {
      show(start, end);
      start = end;
      continue;
    }
    const isFirst = start === 0;
    const isLast = end === lines.length;
    const length = end - start;
    const kept = (isFirst ? 0 : CONTEXT) + (isLast ? 0 : CONTEXT);
    // The number of a gap is that of the hunk below it.
    const isGap = length > kept;
    if (!isFirst && isGap) gap += 1;
    const hidden = isGap ? Math.max(0, length - kept - (extra.get(gap) ?? 0)) : 0;
    const before = isLast ? length - hidden : isFirst ? 0 : Math.min(CONTEXT, length);
    show(start, start + before);
    if (hidden > 0) shown.push({ kind: 'gap', text: headings[gap] ?? '', gap });
    show(start + before + hidden, end);
    start = end;
  }
  return shown;
}

function endOfRun(lines: readonly DiffLine[], start: number): number {
  const isSame = lines[start]?.kind === 'same';
  let end = start + 1;
  while (end < lines.length && (lines[end]?.kind === 'same') === isSame) end += 1;
  return end;
}

/** True if a patch of one file has all of its lines; that of an executor elsewhere only has those around the changes. */
export function isWhole(patch: string): boolean {
  const starts = [...patch.matchAll(/^@@ -(\d+)(?:,\d+)? \+(\d+)/gm)];
  const [, before, after] = starts[0] ?? [];
  return starts.length === 1 && Number(before) <= 1 && Number(after) <= 1;
}

/** Gives each gap of a diff its number, and adds one at the end if the file may go on there. */
export function numberGaps(lines: readonly DiffLine[]): DiffLine[] {
  let hunk = 0;
  const numbered = lines.map((line, index): DiffLine => {
    if (line.kind !== 'gap') return line;
    if (index > 0) hunk += 1;
    return { ...line, gap: hunk };
  });
  const last = lines.slice(-CONTEXT);
  const goesOn = last.length === CONTEXT && last.every(({ kind }) => kind === 'same');
  return goesOn ? [...numbered, { kind: 'gap', text: '', gap: hunk + 1 }] : numbered;
}

/** Headings of the hunks, by the numbers of the gaps above them. */
export function headingsOf(numbered: readonly DiffLine[]): string[] {
  const headings: string[] = [];
  for (const { gap, text } of numbered) if (gap !== undefined) headings[gap] = text;
  return headings;
}
