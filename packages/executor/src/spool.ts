import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { type AgentEvent, spoolEvents, spoolLine } from '@baton/protocol';
import { fitEvent } from './fit-event.ts';

/** Events that are sent together, and where they end in the spool. */
export type SpoolBatch = { events: AgentEvent[]; lastSeq: number; end: number };

export type SpoolOptions = {
  /** So many bytes may wait for the daemon; then the agent has to wait too. */
  maxBytes: number;
  /** About so many are sent together. */
  batchBytes: number;
  /** A larger event is cut: the daemon would not take it, however often it is sent. */
  maxEventBytes: number;
};

const NEWLINE = 0x0a;
const FULL_DISK: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * What a run has said and the daemon has not confirmed, in a file that outlives this process: one line of JSON for
 * each event. It is emptied when everything is confirmed.
 */
export class Spool {
  #file: number;
  #options: SpoolOptions;
  #size: number;
  /** Everything before this is confirmed. */
  #confirmed = 0;
  /** Everything before this has been handed out. */
  #sent = 0;

  constructor(path: string, options: SpoolOptions) {
    this.#file = openSync(path, 'a+', 0o600);
    this.#options = options;
    this.#size = this.#cutTornLine(fstatSync(this.#file).size);
  }

  /** Whether nothing waits for the daemon. */
  get isEmpty(): boolean {
    return this.#confirmed === this.#size;
  }

  /** Keeps an event; false when there is no room, on the disk or within the limit, and nothing was kept. */
  append(event: AgentEvent): boolean {
    const line = this.#lineOf(event);
    const waiting = this.#size - this.#confirmed;
    if (waiting > 0 && waiting + line.length > this.#options.maxBytes) return false;
    try {
      const written = writeSync(this.#file, line);
      if (written < line.length) throw Object.assign(new Error('No space.'), { code: 'ENOSPC' });
    } catch (error) {
      if (!FULL_DISK.has((error as NodeJS.ErrnoException).code)) throw error;
      ftruncateSync(this.#file, this.#size);
      return false;
    }
    this.#size += line.length;
    return true;
  }

  /** The next events to send; nothing when all have been handed out. */
  next(): SpoolBatch | undefined {
    if (this.#sent === this.#size) return undefined;
    const bytes = this.#wholeLines(this.#sent);
    this.#sent += bytes.length;
    const events = spoolEvents(bytes.toString('utf8'));
    return { events, lastSeq: events.at(-1)?.seq ?? 0, end: this.#sent };
  }

  /** The daemon has everything up to the end of a batch. */
  confirm({ end }: Pick<SpoolBatch, 'end'>): void {
    this.#confirmed = Math.max(this.#confirmed, end);
    if (this.#confirmed < this.#size) return;
    ftruncateSync(this.#file, 0);
    this.#size = 0;
    this.#confirmed = 0;
    this.#sent = 0;
  }

  /** Hands out again all that is not confirmed. */
  rewind(): void {
    this.#sent = this.#confirmed;
  }

  close(): void {
    closeSync(this.#file);
  }

  #lineOf(event: AgentEvent): Buffer {
    const { maxEventBytes } = this.#options;
    const line = Buffer.from(spoolLine(event));
    return line.length <= maxEventBytes
      ? line
      : Buffer.from(spoolLine(fitEvent(event, maxEventBytes)));
  }

  /** As many whole lines from an offset on as make a batch; one that is longer goes alone. */
  #wholeLines(start: number): Buffer {
    const { batchBytes } = this.#options;
    for (let length = batchBytes; ; length *= 2) {
      const bytes = this.#read(start, Math.min(length, this.#size - start));
      const end = length === batchBytes ? bytes.lastIndexOf(NEWLINE) : bytes.indexOf(NEWLINE);
      if (end !== -1) return bytes.subarray(0, end + 1);
    }
  }

  #read(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.#file, bytes, filled, length - filled, start + filled);
      if (count === 0) throw new Error('The spool is shorter than it was.');
      filled += count;
    }
    return bytes;
  }

  /** A process that died while it wrote leaves half a line behind, which nobody has seen. */
  #cutTornLine(size: number): number {
    if (size === 0) return 0;
    const whole = this.#read(0, size).lastIndexOf(NEWLINE) + 1;
    if (whole < size) ftruncateSync(this.#file, whole);
    return whole;
  }
}
