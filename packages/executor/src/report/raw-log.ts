import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { rawLine } from '@baton/protocol';

type RawLogOptions = {
  path: string;
  /** The maximum that is kept per task. */
  maxBytes: number;
  /** Gives a piece to the daemon, and tells how much it has now. */
  send(piece: { offset: number; text: string }): Promise<number>;
};

const FLUSH_MS = 1000;
const PIECE_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
const CUT = rawLine('[Raw output limit reached.]', 'stderr');

/** Keeps what an agent really prints in a file, and gives it to the daemon bit by bit. */
export class RawLog {
  #options: RawLogOptions;
  #file: number;
  #timer: NodeJS.Timeout;
  #waiting = '';
  #isCut = false;
  #isEnding = false;
  #size = 0;
  #sent = 0;
  #sending: Promise<void> | undefined;

  constructor(options: RawLogOptions) {
    this.#options = options;
    this.#file = openSync(options.path, 'w+', 0o600);
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
  }

  /** Takes a line that the agent printed. */
  print(line: string, stream: 'stdout' | 'stderr'): void {
    if (this.#isCut) return;
    const text = rawLine(line, stream);
    const bytes = this.#size + this.#waiting.length + text.length + CUT.length;
    this.#isCut = bytes > this.#options.maxBytes;
    this.#waiting += this.#isCut ? CUT : text;
    if (this.#waiting.length > PIECE_BYTES) this.#write();
  }

  /** Sends what the daemon does not have yet; a failed piece is retried later. */
  flush(): Promise<void> {
    this.#write();
    this.#sending ??= this.#send()
      .catch(() => {})
      .finally(() => {
        this.#sending = undefined;
      });
    return this.#sending;
  }

  /** Ends it; the file stays when the daemon does not have everything. */
  end(): void {
    clearInterval(this.#timer);
    this.#write();
    this.#isEnding = true;
    // Not while it is being read: the descriptor of a closed file may be reused for another one.
    void (this.#sending ?? Promise.resolve()).then(() => closeSync(this.#file));
    if (this.#sent === this.#size) rmSync(this.#options.path, { force: true });
  }

  #write(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    try {
      for (let at = 0; at < bytes.length; ) {
        const written = writeSync(this.#file, bytes, at);
        at += written;
        this.#size += written;
      }
    } catch {
      // Events matter more than this when the disk is full.
      this.#isCut = true;
    }
  }

  async #send(): Promise<void> {
    while (this.#sent < this.#size && !this.#isEnding) {
      const has = await this.#options.send({ offset: this.#sent, text: this.#piece() });
      if (has <= this.#sent) return;
      this.#sent = has;
    }
  }

  /** Whole lines, unless one is longer than a piece may be; whole characters then. */
  #piece(): string {
    const bytes = Buffer.alloc(Math.min(PIECE_BYTES, this.#size - this.#sent));
    const count = readSync(this.#file, bytes, 0, bytes.length, this.#sent);
    const end = bytes.lastIndexOf(NEWLINE, count - 1);
    return new StringDecoder('utf8').write(bytes.subarray(0, end === -1 ? count : end + 1));
  }
}
