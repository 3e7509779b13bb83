import { type Entry, TurnOrder } from '@baton/protocol';

/**
 * A row of the transcript: an entry, or the entries of a sub-agent whose own entry is not loaded. For a stop that
 * cancelled a queued prompt, `cancelled` is the cursor of the prompt.
 */
export type Row = { id: string; cursor: number; orphansOf?: string; cancelled?: number };

/** Order and nesting of entries; a prompt is placed where its turn starts. */
export class RowList {
  /** Replaced whenever a row is added, and only then. */
  rows: readonly Row[] = [];
  #children = new Map<number, readonly number[]>();
  #orphans = new Map<string, readonly number[]>();
  #tools = new Map<string, number>();
  #turns = new TurnOrder();

  /** The entries nested in an entry. */
  children(cursor: number): readonly number[] {
    return this.#children.get(cursor) ?? NONE;
  }

  /** The entries nested in an entry that is not loaded. */
  orphans(parentKey: string): readonly number[] {
    return this.#orphans.get(parentKey) ?? NONE;
  }

  /** Rebuilds the list from all entries in order, and from earlier prompts whose turn comes later. */
  rebuild(entries: readonly Entry[], waiting: readonly Entry[]): void {
    this.rows = [];
    this.#children.clear();
    this.#orphans.clear();
    this.#tools.clear();
    this.#turns = new TurnOrder(waiting);
    this.append(entries);
  }

  /** Appends entries; returns the entries that have new nested ones. */
  append(entries: readonly Entry[]): Set<number> {
    const parents = new Set<number>();
    const added: Row[] = [];
    const inside = new Map<number, number[]>();
    const orphans = new Map<string, number[]>();
    for (const { kind, key, cursor, parentKey } of this.#turns.inOrder(entries)) {
      if (kind === 'tool') this.#tools.set(key, cursor);
      const parent = parentKey === undefined ? undefined : this.#tools.get(parentKey);
      if (parent !== undefined) push(inside, parent, cursor);
      else if (parentKey === undefined) added.push(this.#rowOf(cursor));
      else {
        const isKnown = this.#orphans.has(parentKey) || orphans.has(parentKey);
        push(orphans, parentKey, cursor);
        if (!isKnown) added.push({ id: parentKey, cursor, orphansOf: parentKey });
      }
    }
    for (const [parent, more] of inside) {
      this.#children.set(parent, [...this.children(parent), ...more]);
      parents.add(parent);
    }
    for (const [key, more] of orphans) {
      const before = this.orphans(key);
      this.#orphans.set(key, [...before, ...more]);
      const [first] = before;
      if (first !== undefined) parents.add(first);
    }
    if (added.length > 0) this.rows = [...this.rows, ...added];
    return parents;
  }

  #rowOf(cursor: number): Row {
    const cancelled = this.#turns.cancelledBy(cursor)?.cursor;
    return { id: `${cursor}`, cursor, ...(cancelled === undefined ? {} : { cancelled }) };
  }
}

const NONE: readonly number[] = [];

function push<Key>(map: Map<Key, number[]>, key: Key, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
