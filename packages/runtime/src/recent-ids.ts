/** Four places for each id, so that looking for one takes hardly a second look. */
const ROOM = 4;

/**
 * Remembers the ids that were added last, at least `count` of them, and forgets older ones. It keeps numbers in place
 * of the texts: what is kept for long outlives the collection of young garbage, and a run that is all calls would grow
 * by tens of megabytes. That two of some thousand ids have the same 53 bits is less likely than a broken machine.
 */
export class RecentIds {
  #count: number;
  #young: Float64Array;
  #old: Float64Array;
  #added = 0;

  constructor(count: number) {
    this.#count = count;
    const places = 2 ** Math.ceil(Math.log2(ROOM * count));
    this.#young = new Float64Array(places);
    this.#old = new Float64Array(places);
  }

  add(id: string): void {
    const number = numberOf(id);
    const place = placeOf(this.#young, number);
    if (this.#young[place] === number) return;
    this.#young[place] = number;
    this.#added += 1;
    if (this.#added < this.#count) return;
    // Two halves that take turns: to take the oldest out of one costs more with every one taken out.
    [this.#old, this.#young] = [this.#young, this.#old];
    this.#young.fill(0);
    this.#added = 0;
  }

  has(id: string): boolean {
    const number = numberOf(id);
    return [this.#young, this.#old].some((table) => table[placeOf(table, number)] === number);
  }
}

/** Where a number is in a table, or the free place where it would be. */
function placeOf(table: Float64Array, number: number): number {
  const last = table.length - 1;
  let place = number & last;
  while (table[place] !== 0 && table[place] !== number) place = (place + 1) & last;
  return place;
}

/** A number of 53 bits that stands for a text, and is never 0. */
function numberOf(text: string): number {
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
