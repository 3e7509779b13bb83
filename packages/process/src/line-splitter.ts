import { StringDecoder } from 'node:string_decoder';

const NEWLINE = 0x0a;
const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
/** A buffer that grew beyond this for one long line is given back after it. */
const KEPT_CAPACITY = 1024 * 1024;

export type LineSplitterOptions = {
  /** A longer line is not kept in memory. 64 MiB by default. */
  maxLineBytes?: number | undefined;
  /** Gets the first 64 KiB of a line that was too long, and how long it was. */
  onTooLong?: (head: string, bytes: number) => void;
};

/**
 * Splits a byte stream into lines at 0x0A and nowhere else, in time proportional to its length.
 *
 * Agents print raw U+2028 and U+2029 inside JSON, where `node:readline` would split. Bytes become
 * text one whole line at a time, so a character that arrives in two chunks survives.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: (head: string, bytes: number) => void;
  readonly #maxLineBytes: number;
  /** The beginning of the unfinished line: all of it, or only its head once it is too long. */
  #held: Buffer = Buffer.alloc(0);
  #heldBytes = 0;
  #lineBytes = 0;
  #isFirst = true;

  constructor(onLine: (line: string) => void, options: LineSplitterOptions = {}) {
    this.#onLine = onLine;
    this.#onTooLong = options.onTooLong ?? (() => {});
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  }

  /** Takes the next bytes and reports every line that they complete. */
  push(chunk: Buffer): void {
    const first = chunk.indexOf(NEWLINE);
    if (first === -1) return this.#hold(chunk);
    const last = chunk.lastIndexOf(NEWLINE);
    this.#completeLine(chunk.subarray(0, first));
    if (last > first) this.#wholeLines(chunk.subarray(first + 1, last));
    if (last + 1 < chunk.length) this.#hold(chunk.subarray(last + 1));
  }

  /** Reports the last line if no newline ended it. */
  end(): void {
    if (this.#lineBytes > 0) this.#completeLine(Buffer.alloc(0));
  }

  /** Takes lines that came in one piece: turning them into text together is several times quicker. */
  #wholeLines(bytes: Buffer): void {
    if (bytes.length <= this.#maxLineBytes) {
      for (const line of bytes.toString('utf8').split('\n')) this.#onLine(line);
      return;
    }
    let start = 0;
    for (let end = 0; end !== -1; start = end + 1) {
      end = bytes.indexOf(NEWLINE, start);
      this.#completeLine(bytes.subarray(start, end === -1 ? undefined : end));
    }
  }

  #completeLine(rest: Buffer): void {
    if (this.#lineBytes === 0 && rest.length <= this.#maxLineBytes) {
      this.#report(rest);
      return;
    }
    this.#hold(rest);
    const line = this.#held.subarray(0, this.#heldBytes);
    const bytes = this.#lineBytes;
    this.#heldBytes = 0;
    this.#lineBytes = 0;
    if (this.#held.length > KEPT_CAPACITY) this.#held = Buffer.alloc(0);
    if (bytes > this.#maxLineBytes) this.#onTooLong(wholeCharacters(line), bytes);
    else this.#report(line);
  }

  /** Some systems put a byte order mark in front of what they record. */
  #report(line: Buffer): void {
    const text = line.toString('utf8');
    const isMarked = this.#isFirst && text.startsWith('\uFEFF');
    this.#isFirst = false;
    this.#onLine(isMarked ? text.slice(1) : text);
  }

  #hold(bytes: Buffer): void {
    const total = this.#lineBytes + bytes.length;
    const limit = total > this.#maxLineBytes ? HEAD_BYTES : total;
    const wanted = Math.min(limit, this.#heldBytes + bytes.length);
    if (wanted > this.#held.length) this.#grow(wanted);
    if (wanted > this.#heldBytes) bytes.copy(this.#held, this.#heldBytes, 0);
    this.#heldBytes = wanted;
    this.#lineBytes = total;
    if (limit === HEAD_BYTES && this.#held.length > KEPT_CAPACITY) {
      this.#held = Buffer.from(this.#held.subarray(0, wanted));
    }
  }

  /** Doubling keeps the copying linear, however small the chunks of a long line are. */
  #grow(wanted: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(wanted, this.#held.length * 2, 4096));
    this.#held.copy(grown, 0, 0, this.#heldBytes);
    this.#held = grown;
  }
}

/** Decodes the head of a longer text, without the character that the cut may have halved. */
function wholeCharacters(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}
