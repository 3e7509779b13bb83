const HIDDEN_MS = 50;

/** Collects what comes and hands it on at most once for each picture that the browser shows. */
export class Batches<Item> {
  #items: Item[] = [];
  #isWaiting = false;
  #handle: (items: Item[]) => void;

  constructor(handle: (items: Item[]) => void) {
    this.#handle = handle;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    // A page that nobody sees gets no pictures.
    if (document.hidden) setTimeout(this.#flush, HIDDEN_MS);
    else requestAnimationFrame(this.#flush);
  }

  #flush = (): void => {
    this.#isWaiting = false;
    const items = this.#items;
    this.#items = [];
    this.#handle(items);
  };
}
