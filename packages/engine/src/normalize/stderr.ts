import { stripVTControlCharacters } from 'node:util';
import type { EventDraft } from '../definition/dialect.ts';

/** More lines than this are no longer passed on one by one. */
const LINE_LIMIT = 200;

/** Turns lines of standard error into notices; a flood is cut with a last notice that says so. */
export function stderrNotices(emit: (draft: EventDraft) => void): (line: string) => void {
  let lines = 0;
  return (line) => {
    const message = stripVTControlCharacters(line).trimEnd();
    if (message.trim() === '') return;
    lines += 1;
    if (lines > LINE_LIMIT + 1) return;
    const flood = lines === LINE_LIMIT + 1;
    emit({
      type: 'notice',
      level: 'info',
      code: 'stderr',
      message: flood ? 'Further lines on standard error are not shown.' : message,
    });
  };
}
