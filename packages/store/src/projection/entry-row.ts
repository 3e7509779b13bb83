import type { Entry } from '@baton/protocol';
import type { EntryRow } from '../schema/tables.ts';

/** An entry as stored in its table. */
export function entryRow(sessionId: string, entry: Entry): EntryRow {
  return {
    session_id: sessionId,
    entry_key: entry.key,
    task_id: entry.taskId ?? null,
    kind: entry.kind,
    first_cursor: entry.cursor,
    through: entry.through,
    open: Number(entry.open),
    body: JSON.stringify(entry),
  };
}

/** Reads an entry from its row. */
export function entryOf(row: Pick<EntryRow, 'body'>): Entry {
  return JSON.parse(row.body) as Entry;
}

/** Returns the length of the part of an entry that grows while the entry is open. */
export function sizeOf(entry: Entry): number {
  if (entry.kind === 'text' || entry.kind === 'thinking') return entry.text.length;
  return entry.kind === 'tool' ? entry.output.length : 0;
}
