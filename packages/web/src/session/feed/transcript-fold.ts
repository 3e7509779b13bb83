import type { TranscriptPage } from '@baton/client';
import { type Entry, entryKeyOf, type LogEvent, nextEntry, TurnOrder } from '@baton/protocol';
import { entrySize } from './entry-size.ts';
import { OutsideEntries } from './outside-entries.ts';
import { type Row, RowList } from './row-list.ts';

/** Effect of a batch of events: the cursors of the changed entries. */
export type Touched = { entries: Set<number>; hasNewRows: boolean };

/** Number of entries and characters of text: the limit that triggers unloading, or the amount that is kept. */
export type Room = { entries: number; text: number };

/** The loaded entries of a session: pages from its end, and every event after them. */
export class TranscriptFold {
  readonly rows = new RowList();
  #shown = new Map<number, Entry>();
  #outside = new OutsideEntries();
  #last = new Map<string, Entry>();
  /** The tasks that are known to have ended. */
  #ended = new Set<string | undefined>();
  #first = Number.POSITIVE_INFINITY;
  #through: number;
  /** Amount that events have added since the last page was loaded or entries were unloaded. */
  #come: Room = { entries: 0, text: 0 };

  constructor(page: TranscriptPage) {
    this.#through = page.cursor;
    for (const entry of page.changing) {
      this.#outside.keepChanging(entry);
      this.#last.set(entry.key, entry);
    }
    for (const entry of page.entries) this.#last.set(entry.key, entry);
    this.addEarlier(page);
  }

  /** The cursor of the first loaded entry. */
  get first(): number {
    return this.#first;
  }

  /** The cursor up to which the entries include every event. */
  get through(): number {
    return this.#through;
  }

  entry(cursor: number): Entry | undefined {
    return this.#shown.get(cursor) ?? this.#outside.get(cursor);
  }

  /** All loaded entries, in order. */
  entries(): Entry[] {
    return [...this.#shown.values()].sort((one, other) => one.cursor - other.cursor);
  }

  /** Inserts a page before the loaded entries. */
  addEarlier({ entries, prompts }: Pick<TranscriptPage, 'entries' | 'prompts'>): void {
    for (const prompt of prompts) this.#outside.keepPrompt(prompt);
    for (const entry of entries) {
      const kept = this.#outside.take(entry.cursor);
      // What events have changed since is newer than the page.
      this.#shown.set(entry.cursor, kept && kept.through > entry.through ? kept : entry);
      this.#first = Math.min(this.#first, entry.cursor);
      if (entry.kind === 'result') this.#ended.add(entry.taskId);
    }
    this.#rebuild(this.entries());
  }

  /** True if the limit is exceeded. Pages that the user loaded do not count: they are being read. */
  isFull({ entries, text }: Room): boolean {
    return this.#come.entries > entries || this.#come.text > text;
  }

  /** Unloads the first entries until the rest fits; they can be loaded again as pages. */
  forgetEarlier(room: Room): void {
    const entries = this.entries();
    const begin = Math.min(entries.length - fitting(entries, room), this.#firstRequest(entries));
    const kept = entries.slice(begin);
    const tasks = new Set(kept.map(({ taskId }) => taskId));
    for (const entry of entries.slice(0, begin)) {
      this.#shown.delete(entry.cursor);
      this.#outside.keepChanging(entry);
    }
    const mayChange = (entry: Entry) => this.#mayChange(entry);
    for (const entry of this.#outside.tidy(mayChange, tasks)) {
      if (this.#last.get(entry.key) === entry) this.#last.delete(entry.key);
    }
    this.#first = kept[0]?.cursor ?? this.#first;
    this.#rebuild(kept);
  }

  /** Applies events; the cost depends only on their number. */
  apply(events: readonly LogEvent[]): Touched {
    const touched: Touched = { entries: new Set(), hasNewRows: false };
    const added: Entry[] = [];
    for (const event of events) {
      if (event.cursor <= this.#through) continue;
      this.#through = event.cursor;
      const next = this.#next(event);
      if (!next) continue;
      touched.entries.add(next.cursor);
      if (this.#outside.change(next)) continue;
      const before = this.#shown.get(next.cursor);
      if (!before) added.push(next);
      this.#come.entries += before ? 0 : 1;
      this.#come.text += entrySize(next) - (before ? entrySize(before) : 0);
      this.#shown.set(next.cursor, next);
    }
    if (added.length > 0) {
      this.#first = Math.min(this.#first, added[0]?.cursor ?? this.#first);
      for (const parent of this.rows.append(added)) touched.entries.add(parent);
      touched.hasNewRows = true;
    }
    return touched;
  }

  #rebuild(entries: readonly Entry[]): void {
    this.#come = { entries: 0, text: 0 };
    const first = TurnOrder.firstTask(entries);
    const waiting = this.#outside.prompts().filter(({ taskId }) => taskId !== first);
    this.rows.rebuild(entries, waiting);
  }

  /** The position of the first pending request: it must stay in view. */
  #firstRequest(entries: readonly Entry[]): number {
    const isAsked = ({ kind, open, taskId }: Entry) =>
      open && (kind === 'permission' || kind === 'question') && !this.#ended.has(taskId);
    const first = entries.findIndex(isAsked);
    return first === -1 ? entries.length : first;
  }

  /**
   * True if later events may change the entry. Prompts and plans are never open, but change until their task has ended.
   */
  #mayChange({ kind, open, taskId }: Entry): boolean {
    return open || ((kind === 'prompt' || kind === 'plan') && !this.#ended.has(taskId));
  }

  #next(event: LogEvent): Entry | undefined {
    const key = entryKeyOf(event);
    if (key === undefined) return undefined;
    const last = this.#last.get(key);
    const next = nextEntry(last, event);
    if (!next || next === last) return undefined;
    this.#last.set(key, next);
    if (next.kind === 'result') this.#ended.add(next.taskId);
    return next;
  }
}

/** Number of entries at the end that fit; at least one. */
function fitting(entries: readonly Entry[], room: Room): number {
  let [count, text] = [0, 0];
  for (const entry of entries.toReversed()) {
    text += entrySize(entry);
    if (count > 0 && (count >= room.entries || text > room.text)) break;
    count += 1;
  }
  return count;
}

export type { Row };
