import { shortened } from '@baton/protocol/values';

const MAX_LINES = 200;
/** A single line without an end must not fill the memory. */
const MAX_LINE = 2000;

/** The last lines of a script's output. */
export class LastLines {
  #lines: string[] = [];

  push(line: string): void {
    this.#lines.push(shortened(line, MAX_LINE));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  /** The lines, oldest first. */
  list(count = MAX_LINES): string[] {
    return this.#lines.slice(-count);
  }
}
