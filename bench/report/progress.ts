const LINE_EVERY_MS = 15_000;

/** Shows how far a benchmark is: in place on a terminal, now and then elsewhere. */
export class Progress {
  #lastLine = Date.now();

  say(words: string): void {
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\u001B[K  ${words} …`);
      return;
    }
    if (Date.now() - this.#lastLine < LINE_EVERY_MS) return;
    this.#lastLine = Date.now();
    process.stderr.write(`  ${words} …\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
  }
}
