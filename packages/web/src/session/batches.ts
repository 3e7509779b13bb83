/** A page that is hidden, or has just been, gets no pictures: then this is how long something waits at most. */
const MOST_MS = 100;

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
    const timer = setTimeout(() => this.#flush(), MOST_MS);
    const frame = requestAnimationFrame(() => this.#flush());
    this.#stopWaiting = () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }

  #stopWaiting = (): void => {};

  #flush(): void {
    this.#stopWaiting();
    this.#isWaiting = false;
    const items = this.#items;
    this.#items = [];
    this.#handle(items);
  }
}
