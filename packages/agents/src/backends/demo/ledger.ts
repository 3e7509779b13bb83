import { createHash, type Hash } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';

/**
 * Writes down what the demo agent is about to say: a line for each piece, with how many characters it has said by then
 * and a checksum of them all. A later check can tell whether anything was lost, duplicated or reordered.
 */
export class Ledger {
  #file: number;
  #hash: Hash = createHash('sha256');
  #characters = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600);
  }

  /** Counts what an earlier process has said and written down. */
  recall(text: string): void {
    this.#hash.update(text);
    this.#characters += text.length;
  }

  note(text: string): void {
    this.recall(text);
    writeSync(this.#file, `${this.#characters} ${this.#hash.copy().digest('hex')}\n`);
  }
}
