import type { TranscriptPage } from '@baton/client';
import { type Entry, entryKeyOf, type LogEvent, nextEntry, TurnOrder } from '@baton/protocol';
import { entrySize } from './entry-size.ts';
import { OutsideEntries } from './outside-entries.ts';
import { type Row, RowList } from './row-list.ts';

/** What a batch of events did: the entries that changed, by their cursor. */
export type Touched = { entries: Set<number>; hasNewRows: boolean };

/** How many entries, or how much text, is kept when earlier ones are unloaded, and the limit that triggers it. */
export type Room = { entries: number; text: number };

/** The entries of a session as far as they are known: pages from its end, and every event behind them. */
export class TranscriptFold {
  readonly rows = new RowList();
  #shown = new Map<number, Entry>();
  #outside = new OutsideEntries();
  #last = new Map<string, Entry>();
  /** The tasks that are over, as far as that was seen. */
  #ended = new Set<string | undefined>();
  #first = Number.POSITIVE_INFINITY;
  #through: number;
  /** What events have added since a page was loaded, or something was forgotten. */
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

  /** The cursor of the first entry that is shown. */
  get first(): number {
    return this.#first;
  }

  /** The cursor up to which every event is in the entries. */
  get through(): number {
    return this.#through;
  }

  entry(cursor: number): Entry | undefined {
    return this.#shown.get(cursor) ?? this.#outside.get(cursor);
  }

  /** All entries that are shown, in their order. */
  entries(): Entry[] {
    return [...this.#shown.values()].sort((one, other) => one.cursor - other.cursor);
  }

  /** Puts a page before everything that is shown. */
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

  /** Whether the limit is exceeded. Pages that the user loaded do not count: they are being read. */
  isFull({ entries, text }: Room): boolean {
    return this.#come.entries > entries || this.#come.text > text;
  }

  /** Forgets the first entries, so that no more than there is room for is left; pages bring them back. */
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

  /** Goes on with events; its cost depends on them alone. */
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

  /** Prompts and plans are never open, but still change while their task is not over. */
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

/** How many of the last entries there is room for: one at least. */
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
