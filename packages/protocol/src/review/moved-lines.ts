/** Lines of a file, both ends included. */
export type LineRange = { line: number; end_line: number };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Finds lines of the old file in the new one, by the patch between the two files without context lines. Returns undefined
 * if any of the lines was changed: what was said about them may no longer hold.
 */
export function movedLines(patch: string, { line, end_line }: LineRange): LineRange | undefined {
  let shift = 0;
  for (const text of patch.split('\n')) {
    const [, oldStart, oldCount = '1', , newCount = '1'] = HUNK.exec(text) ?? [];
    if (oldStart === undefined) continue;
    const [count, added] = [Number(oldCount), Number(newCount)];
    // A hunk that only adds names the line before it.
    const first = count === 0 ? Number(oldStart) + 1 : Number(oldStart);
    const isBefore = first + count <= line;
    if (!isBefore) {
      const isAfter = first > end_line;
      if (!isAfter) return undefined;
      break;
    }
    shift += added - count;
  }
  return { line: line + shift, end_line: end_line + shift };
}
