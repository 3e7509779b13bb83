import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { type AgentEvent, spoolEvents, spoolLine } from '@baton/protocol';
import { fitEvent } from './fit-event.ts';
import { readExactly, restInNewFile } from './spool-io.ts';

/** Events that are sent together, and where they end in the spool. */
export type SpoolBatch = { events: AgentEvent[]; lastSeq: number; end: number };

export type SpoolOptions = {
  /** The maximum of unconfirmed bytes; beyond it, backpressure stops the agent. */
  maxBytes: number;
  /** The approximate size of a batch. */
  batchBytes: number;
  /** A larger event is cut: the daemon would not take it, however often it is sent. */
  maxEventBytes: number;
};

const NEWLINE = 0x0a;
const FULL_DISK: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** The spool is compacted once this many batches are confirmed. */
const MOVED_AFTER = 16;

/**
 * Events of a run that the daemon has not confirmed, in a file that outlives this process: one line of JSON per event.
 * The file is emptied once all events are confirmed, and rewritten once many are.
 */
export class Spool {
  #path: string;
  #file: number;
  #options: SpoolOptions;
  /**
   * Bytes removed from the start of the file so far. All other offsets include them, so the offsets of a batch stay
   * valid.
   */
  #begin = 0;
  #size: number;
  /** Everything before this is confirmed. */
  #confirmed = 0;
  /** Everything before this has been handed out. */
  #sent = 0;
  #moveAfter: number;

  constructor(path: string, options: SpoolOptions) {
    this.#path = path;
    this.#file = openSync(path, 'a+', 0o600);
    this.#options = options;
    this.#moveAfter = MOVED_AFTER * options.batchBytes;
    this.#size = this.#cutTornLine(fstatSync(this.#file).size);
  }

  /** True if the daemon has confirmed every event. */
  get isEmpty(): boolean {
    return this.#confirmed === this.#size;
  }

  /** Stores an event; false if the disk or the spool is full, and the event was not stored. */
  append(event: AgentEvent): boolean {
    const line = this.#lineOf(event);
    const waiting = this.#size - this.#confirmed;
    if (waiting > 0 && waiting + line.length > this.#options.maxBytes) return false;
    try {
      const written = writeSync(this.#file, line);
      if (written < line.length) throw Object.assign(new Error('No space.'), { code: 'ENOSPC' });
    } catch (error) {
      if (!FULL_DISK.has((error as NodeJS.ErrnoException).code)) throw error;
      ftruncateSync(this.#file, this.#size - this.#begin);
      return false;
    }
    this.#size += line.length;
    return true;
  }

  /** Returns the next events to send; undefined if all have been handed out. */
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
    this.#sent = Math.max(this.#sent, this.#confirmed);
    const done = this.#confirmed - this.#begin;
    const waiting = this.#size - this.#confirmed;
    if (waiting === 0) {
      ftruncateSync(this.#file, 0);
      this.#begin = this.#size;
    } else if (done > waiting && done > this.#moveAfter) this.#moveRest(done);
  }

  /** Hands out again all that is not confirmed. */
  rewind(): void {
    this.#sent = this.#confirmed;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Under a stream that never pauses the file would grow for ever. */
  #moveRest(done: number): void {
    const moved = restInNewFile(this.#path, this.#file, done);
    // Without room for it, it is tried again only when it is worth much more.
    if (moved === undefined) this.#moveAfter *= 2;
    else {
      this.#file = moved;
      this.#begin = this.#confirmed;
    }
  }

  #lineOf(event: AgentEvent): Buffer {
    const { maxEventBytes } = this.#options;
    const line = Buffer.from(spoolLine(event));
    return line.length <= maxEventBytes
      ? line
      : Buffer.from(spoolLine(fitEvent(event, maxEventBytes)));
  }

  /** Reads whole lines from an offset until they fill a batch; a longer line becomes a batch of its own. */
  #wholeLines(start: number): Buffer {
    const { batchBytes } = this.#options;
    for (let length = batchBytes; ; length *= 2) {
      const bytes = this.#read(start, Math.min(length, this.#size - start));
      const end = length === batchBytes ? bytes.lastIndexOf(NEWLINE) : bytes.indexOf(NEWLINE);
      if (end !== -1) return bytes.subarray(0, end + 1);
    }
  }

  #read(start: number, length: number): Buffer {
    return readExactly(this.#file, start - this.#begin, length);
  }

  /** Drops the partial last line of a process that died while it wrote. */
  #cutTornLine(size: number): number {
    if (size === 0) return 0;
    const whole = this.#read(0, size).lastIndexOf(NEWLINE) + 1;
    if (whole < size) ftruncateSync(this.#file, whole);
    return whole;
  }
}
