import type { Entry } from '@baton/protocol';

/** About how many characters an entry holds in memory: of most, the text of what was said, printed or changed. */
export function entrySize(entry: Entry): number {
  if ('text' in entry) return entry.text.length;
  if (entry.kind === 'file') return entry.change.diff?.length ?? 0;
  if (entry.kind !== 'tool') return 0;
  const changes = entry.action.type === 'file.edit' ? entry.action.changes : [];
  return changes.reduce((size, { diff = '' }) => size + diff.length, entry.output.length);
}
