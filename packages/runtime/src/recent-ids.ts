/** Remembers the ids that were added last, at least `count` of them, and forgets older ones. */
export class RecentIds {
  #count: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(count: number) {
    this.#count = count;
  }

  add(id: string): void {
    this.#young.add(id);
    if (this.#young.size < this.#count) return;
    // Two halves that take turns: to take the oldest out of one set costs more with every one taken out.
    this.#old = this.#young;
    this.#young = new Set();
  }

  has(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id);
  }
}
