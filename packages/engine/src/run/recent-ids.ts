/** Slots for each id: a table that is at most a quarter full has few collisions. */
const SLOTS_PER_ID = 4;

/**
 * Remembers the ids that were added last, at least `count` of them, and forgets older ones. It stores a hash of each id, not
 * the string: strings that are kept for a while are promoted to the old heap, and a run with a million events takes 75 MB
 * with a Set of strings in place of 34 MB (Claude, `npm run bench -- normalize-memory-claude`). Two of some thousand ids
 * have the same 53-bit hash in one of 10⁹ runs.
 */
export class RecentIds {
  #count: number;
  #young: Float64Array;
  #old: Float64Array;
  #added = 0;

  constructor(count: number) {
    this.#count = count;
    const slots = 2 ** Math.ceil(Math.log2(SLOTS_PER_ID * count));
    this.#young = new Float64Array(slots);
    this.#old = new Float64Array(slots);
  }

  add(id: string): void {
    const hash = hashOf(id);
    const slot = slotOf(this.#young, hash);
    if (this.#young[slot] === hash) return;
    this.#young[slot] = hash;
    this.#added += 1;
    if (this.#added < this.#count) return;
    // Two tables that take turns: an open-addressed table cannot delete its oldest entry cheaply.
    [this.#old, this.#young] = [this.#young, this.#old];
    this.#young.fill(0);
    this.#added = 0;
  }

  has(id: string): boolean {
    const hash = hashOf(id);
    return [this.#young, this.#old].some((table) => table[slotOf(table, hash)] === hash);
  }
}

/** The slot of a hash in a table, or the free slot where it belongs. */
function slotOf(table: Float64Array, hash: number): number {
  const last = table.length - 1;
  let slot = hash & last;
  while (table[slot] !== 0 && table[slot] !== hash) slot = (slot + 1) & last;
  return slot;
}

/** A 53-bit hash of a text, which is never 0. */
function hashOf(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 15), 0x85ebca6b);
  }
  high ^= high >>> 13;
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0) || 1;
}
