/** The maximum delay, for a hidden page, which gets no animation frames. */
const MAX_DELAY_MS = 100;

/** Collects items and hands them on at most once per animation frame. */
export class FrameBatches<Item> {
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
    const timer = setTimeout(() => this.#flush(), MAX_DELAY_MS);
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
