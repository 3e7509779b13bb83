import type { LineSplitter } from './line-splitter.ts';

/** Passes chunks on to a line splitter, or holds them back while it is paused. */
export class PausableLines {
  /** Resolves when the end was reached and every line before it was delivered. */
  readonly drained: Promise<void>;
  readonly #splitter: LineSplitter;
  readonly #resolveDrained: () => void;
  readonly #held: Buffer[] = [];
  #paused = false;
  #ended = false;
  #delivering = false;

  constructor(splitter: LineSplitter) {
    this.#splitter = splitter;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.drained = promise;
    this.#resolveDrained = resolve;
  }

  /** Takes the next bytes. */
  push(chunk: Buffer): void {
    this.#held.push(chunk);
    this.#deliver();
  }

  /** Says that no more bytes will come. */
  end(): void {
    this.#ended = true;
    this.#deliver();
  }

  /** Holds everything back, once the chunk at hand is done. */
  pause(): void {
    this.#paused = true;
  }

  /** Delivers the buffered lines, and resumes. */
  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  #deliver(): void {
    // A reader that pauses and resumes inside its callback must not see later lines before earlier ones.
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      while (!this.#paused) {
        const chunk = this.#held.shift();
        if (!chunk) break;
        this.#splitter.push(chunk);
      }
      if (this.#paused || !this.#ended) return;
      this.#splitter.end();
      this.#resolveDrained();
    } finally {
      this.#delivering = false;
    }
  }
}
