import { type FileChange, showUnseenInText } from '@baton/protocol';

/** A line of a diff, with its numbers in the file before and after. */
export type DiffLine = {
  kind: 'add' | 'remove' | 'same' | 'gap';
  text: string;
  before?: number;
  after?: number;
  /** Number of a gap whose lines can be loaded. */
  gap?: number;
};

/** A change, line by line, and how many lines it adds and removes. */
type Diff = { lines: DiffLine[]; added: number; removed: number };

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;
const HEADER =
  /^(diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|rename |similarity |\\ )/;

/** Takes a change of a file apart: a unified diff, or the whole text of a new file. */
export function parseDiff({ kind, diff = '' }: Pick<FileChange, 'kind' | 'diff'>): Diff {
  const lines = showUnseenInText(diff).replace(/\n$/, '').split('\n');
  const isUnified = lines.some((line) => HUNK.test(line));
  if (diff === '') return { lines: [], added: 0, removed: 0 };
  if (isUnified) return counted(unified(lines));
  if (kind === 'add') return counted(whole(lines));
  return counted(loose(lines));
}

function unified(lines: readonly string[]): DiffLine[] {
  const found: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of lines) {
    const [, oldStart, newStart, about = ''] = HUNK.exec(line) ?? [];
    if (oldStart !== undefined) {
      before = Number(oldStart);
      after = Number(newStart);
      isInHunk = true;
      found.push({ kind: 'gap', text: about });
    } else if (!isInHunk || line.startsWith('\\ ') || line.startsWith('diff --git ')) {
      isInHunk &&= !line.startsWith('diff --git ');
    } else if (line.startsWith('+')) {
      found.push({ kind: 'add', text: line.slice(1), after });
      after += 1;
    } else if (line.startsWith('-')) {
      found.push({ kind: 'remove', text: line.slice(1), before });
      before += 1;
    } else {
      found.push({ kind: 'same', text: line.slice(1), before, after });
      before += 1;
      after += 1;
    }
  }
  // The first gap says nothing when the change begins with the file.
  const [gap, first] = found;
  const begins = (first?.before ?? first?.after ?? 2) <= 1;
  return gap?.text === '' && begins ? found.slice(1) : found;
}

function whole(lines: readonly string[]): DiffLine[] {
  return lines.map((text, index) => ({ kind: 'add', text, after: index + 1 }));
}

/** Lines with signs but without places, as some agents write them. */
function loose(lines: readonly string[]): DiffLine[] {
  return lines
    .filter((line) => !HEADER.test(line))
    .map((line): DiffLine => {
      if (line.startsWith('+')) return { kind: 'add', text: line.slice(1) };
      if (line.startsWith('-')) return { kind: 'remove', text: line.slice(1) };
      return { kind: 'same', text: line.startsWith(' ') ? line.slice(1) : line };
    });
}

function counted(lines: DiffLine[]): Diff {
  let added = 0;
  let removed = 0;
  for (const { kind } of lines) {
    if (kind === 'add') added += 1;
    if (kind === 'remove') removed += 1;
  }
  return { lines, added, removed };
}
