import type { TranscriptPage } from '@baton/client';
import { type Entry, entryKeyOf, type LogEvent, nextEntry } from '@baton/protocol';
import { type Row, RowList } from './row-list.ts';

/** What a batch of events did: the entries that changed, by their cursor. */
export type Touched = { entries: Set<number>; hasNewRows: boolean };

/** The entries of a session as far as they are known: pages from its end, and every event behind them. */
export class TranscriptFold {
  readonly rows = new RowList();
  #shown = new Map<number, Entry>();
  /** Entries of pages that were not loaded: events may still change them. */
  #waiting = new Map<number, Entry>();
  #last = new Map<string, Entry>();
  #first = Number.POSITIVE_INFINITY;
  #through: number;

  constructor(page: TranscriptPage) {
    this.#through = page.cursor;
    for (const entry of page.changing) {
      this.#waiting.set(entry.cursor, entry);
      this.#last.set(entry.key, entry);
    }
    for (const entry of page.entries) this.#last.set(entry.key, entry);
    this.addEarlier(page.entries);
  }

  /** The cursor of the first entry that is shown. */
  get first(): number {
    return this.#first;
  }

  /** The cursor up to which every event is in the entries. */
  get through(): number {
    return this.#through;
  }

  entry(cursor: number): Entry | undefined {
    return this.#shown.get(cursor);
  }

  /** All entries that are shown, in their order. */
  entries(): Entry[] {
    return [...this.#shown.values()].sort((one, other) => one.cursor - other.cursor);
  }

  /** Puts a page before everything that is shown. */
  addEarlier(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const kept = this.#waiting.get(entry.cursor);
      this.#waiting.delete(entry.cursor);
      // What events have changed since is newer than the page.
      this.#shown.set(entry.cursor, kept && kept.through > entry.through ? kept : entry);
      this.#first = Math.min(this.#first, entry.cursor);
    }
    this.rows.rebuild(this.entries());
  }

  /** Goes on with events; its cost depends on them alone. */
  apply(events: readonly LogEvent[]): Touched {
    const touched: Touched = { entries: new Set(), hasNewRows: false };
    const added: Entry[] = [];
    for (const event of events) {
      if (event.cursor <= this.#through) continue;
      this.#through = event.cursor;
      const next = this.#next(event);
      if (!next) continue;
      if (this.#waiting.has(next.cursor)) {
        this.#waiting.set(next.cursor, next);
        continue;
      }
      if (!this.#shown.has(next.cursor)) added.push(next);
      this.#shown.set(next.cursor, next);
      touched.entries.add(next.cursor);
    }
    if (added.length > 0) {
      this.#first = Math.min(this.#first, added[0]?.cursor ?? this.#first);
      for (const parent of this.rows.append(added)) touched.entries.add(parent);
      touched.hasNewRows = true;
    }
    return touched;
  }

  #next(event: LogEvent): Entry | undefined {
    const key = entryKeyOf(event);
    if (key === undefined) return undefined;
    const last = this.#last.get(key);
    const next = nextEntry(last, event);
    if (!next || next === last) return undefined;
    this.#last.set(key, next);
    return next;
  }
}

export type { Row };
