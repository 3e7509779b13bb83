import { beginningOf, type Entry, TurnOrder } from '@baton/protocol';
import type { Engine } from '../engine/engine.ts';
import {
  type EntryQuery,
  readChangingEntries,
  readEarlierPrompts,
  readEntries,
} from './read-entries.ts';

/** Maximum number of characters of a prompt in a transcript. */
const LONGEST_PROMPT = 100_000;

/** A part of a transcript, read from one snapshot. */
export type TranscriptPart = {
  entries: Entry[];
  /** Prompts that were given before them, of tasks that begin in them. */
  prompts: Entry[];
  /** Entries before them that later events may still change. */
  changing: Entry[];
  /** True if there are earlier entries. */
  hasEarlier: boolean;
  /** The entries contain exactly the events up to this cursor. */
  cursor: number;
};

/** Reads a part of a transcript from one snapshot: events after its cursor continue it. */
export function readTranscript(
  { db, kind }: Engine,
  sessionId: string,
  query: EntryQuery,
): Promise<TranscriptPart> {
  const transaction = db.transaction();
  // On SQLite there are no concurrent writes; elsewhere each statement would see what was committed before it.
  const snapshot =
    kind === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction;
  return snapshot.execute(async (tx) => {
    const { head_cursor } = await tx
      .selectFrom('sessions')
      .select('head_cursor')
      .where('session_id', '=', sessionId)
      .executeTakeFirstOrThrow();
    const entries = await readEntries(tx, sessionId, query);
    const [first] = entries;
    if (!first) {
      return { entries, prompts: [], changing: [], hasEarlier: false, cursor: head_cursor };
    }
    const earlier = await tx
      .selectFrom('entries')
      .select('first_cursor')
      .where('session_id', '=', sessionId)
      .where('first_cursor', '<', first.cursor)
      .limit(1)
      .executeTakeFirst();
    const prompts = await readEarlierPrompts(tx, sessionId, tasksIn(entries), first.cursor);
    const changing = await readChangingEntries(tx, sessionId, first.cursor);
    return {
      entries: entries.map(withShortPrompt),
      prompts: prompts.map(withShortPrompt),
      changing: changing.map(withShortPrompt),
      hasEarlier: earlier !== undefined,
      cursor: head_cursor,
    };
  });
}

/** A session may have many long prompts that are queued; the task has all of its text. */
function withShortPrompt(entry: Entry): Entry {
  if (entry.kind !== 'prompt' || entry.text.length <= LONGEST_PROMPT) return entry;
  const text = beginningOf(entry.text, LONGEST_PROMPT);
  const more = entry.text.length - text.length;
  return { ...entry, text: `${text}\n[${more} more characters]` };
}

/** The tasks that begin in some entries. */
function tasksIn(entries: readonly Entry[]): string[] {
  const tasks = new Set(entries.flatMap(({ taskId }) => (taskId === undefined ? [] : [taskId])));
  const before = TurnOrder.firstTask(entries);
  if (before !== undefined) tasks.delete(before);
  return [...tasks];
}
