// Not from the main entry, which loads parsers too and takes 10 ms longer.
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff/lib/patch/create.js';

const CONTEXT_LINES = 3;
/**
 * Texts that differ in more lines than this are shown as one replacement: the time to compare them grows with the square
 * of this number, to about 50 ms. A limit on the time itself would make a replay depend on the machine.
 */
const MAX_CHANGED_LINES = 500;

/** The unified diff between two versions of a file, without file headers; empty when they are equal. */
export function fileDiff(before: string, after: string): string {
  if (before === after) return '';
  const patch = structuredPatch('', '', before, after, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_CHANGED_LINES,
  });
  return formatPatch(patch ?? replacementPatch(before, after), OMIT_HEADERS);
}

/** The diff of an edit that replaces one part of a file; line numbers count from the start of the part. */
export function replacementDiff(before: string, after: string): string {
  return fileDiff(withFinalNewline(before), withFinalNewline(after));
}

function replacementPatch(before: string, after: string): ReturnType<typeof structuredPatch> {
  const removal = structuredPatch('', '', before, '');
  const addition = structuredPatch('', '', '', after);
  const [removed] = removal.hunks;
  const [added] = addition.hunks;
  if (!removed) return addition;
  if (!added) return removal;
  const lines = [...removed.lines, ...added.lines];
  return { ...removal, hunks: [{ ...removed, newStart: 1, newLines: added.newLines, lines }] };
}

/** Part of a file ends anywhere: that it lacks a newline says nothing about the file. */
function withFinalNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
