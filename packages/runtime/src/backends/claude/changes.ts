import type { FileChange } from '@baton/protocol';
import { array, type Json, number, object, string } from '../../normalize/json.ts';

/** What an edit really changed, by the tool's own account; without one, what it was asked to change. */
export function changesOf(account: Json, asked: FileChange[]): FileChange[] {
  const hunks = array(account.structuredPatch).map(object);
  const diff = hunks.map(hunkText).join('');
  if (diff !== '') return asked.map((change) => ({ ...change, kind: 'edit', diff }));
  if (account.type !== 'update') return asked;
  return asked.map(({ path }) => ({ path, kind: 'edit' }));
}

function hunkText(hunk: Json): string {
  const lines = array(hunk.lines).filter((line) => string(line) !== undefined);
  const range = (start: unknown, count: unknown) => `${number(start) ?? 0},${number(count) ?? 0}`;
  const before = range(hunk.oldStart, hunk.oldLines);
  const after = range(hunk.newStart, hunk.newLines);
  return `${[`@@ -${before} +${after} @@`, ...lines].join('\n')}\n`;
}
