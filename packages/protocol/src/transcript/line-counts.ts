import type { FileChange } from '../action.ts';

export type LineCounts = { added: number; removed: number };

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Counts the lines that a change adds and removes, from its diff. */
export function lineCounts({ kind, diff = '' }: Pick<FileChange, 'kind' | 'diff'>): LineCounts {
  const lines = linesOf(diff);
  // The diff of a new file is its text.
  if (kind === 'add') return { added: lines.length, removed: 0 };
  return lines.some((line) => HUNK.test(line)) ? countedByHunks(lines) : countedBySigns(lines);
}

/**
 * Counts by the line counts in hunk headers, so that a changed line starting with `---` or `+++` is not taken for a
 * file header.
 */
function countedByHunks(lines: readonly string[]): LineCounts {
  const counts = { added: 0, removed: 0 };
  let [before, after] = [0, 0];
  for (const line of lines) {
    if (before <= 0 && after <= 0) {
      const hunk = HUNK.exec(line);
      if (hunk) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      continue;
    }
    if (line.startsWith('\\')) continue;
    const sign = line[0];
    if (sign === '+') counts.added += 1;
    if (sign === '-') counts.removed += 1;
    if (sign !== '+') before -= 1;
    if (sign !== '-') after -= 1;
  }
  return counts;
}

function countedBySigns(lines: readonly string[]): LineCounts {
  const beginning = (sign: string) =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return { added: beginning('+'), removed: beginning('-') };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
