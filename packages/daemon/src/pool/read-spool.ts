import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type AgentEvent, BatonError, reportedEvent, spoolEvents } from '@baton/protocol';

const PIECE_BYTES = 1024 * 1024;
/** No event of an executor is nearly as long. */
const LONGEST_LINE_BYTES = 64 * PIECE_BYTES;
const NEWLINE = 0x0a;
/** A pipe under this name must not make anybody wait. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A line of a spool that is not an event which an executor may report. */
export type RefusedLine = { type: unknown; seq: unknown; reason: string };

/**
 * Reads the events of a spool piece by piece, up to the first line that a crash cut off. Lines that are no events of an
 * executor are skipped. Where that leaves a gap in the numbers, a notice takes the place of the event.
 */
export function* readSpool(
  path: string,
  onRefused: (line: RefusedLine) => void,
): Generator<AgentEvent[]> {
  const filter = new ReportedEvents(onRefused);
  let rest = Buffer.alloc(0);
  for (const piece of pieces(path)) {
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    if (rest.length > LONGEST_LINE_BYTES) return;
    if (end === 0) continue;
    const text = bytes.toString('utf8', 0, end);
    const values: unknown[] = spoolEvents(text);
    const events = values.flatMap((value) => filter.next(value));
    if (events.length > 0) yield events;
    if (values.length < text.split('\n').length - 1) return;
  }
}

/** Lets the events of an executor through, and fills the gaps that refused ones leave. */
class ReportedEvents {
  #onRefused: (line: RefusedLine) => void;
  #lastSeq = 0;
  #refused = new Map<unknown, RefusedLine>();

  constructor(onRefused: (line: RefusedLine) => void) {
    this.#onRefused = onRefused;
  }

  next(value: unknown): AgentEvent[] {
    try {
      const event = reportedEvent(value);
      return [...this.#filling(event), event];
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      const { type, seq } = (value ?? {}) as { type?: unknown; seq?: unknown };
      const line = { type, seq, reason: error.message };
      this.#onRefused(line);
      this.#refused.set(seq, line);
      return [];
    }
  }

  /** An event that comes with the number of a refused one leaves no gap. */
  #filling({ seq, time, runId }: AgentEvent): AgentEvent[] {
    const missing = [...this.#refused.values()].filter((line) => this.#isBefore(line.seq, seq));
    const notices = missing.map((line): AgentEvent => {
      const message = `An event of the executor was rejected: ${line.reason}`;
      const notice = { type: 'notice', level: 'warning', code: 'event_refused', message } as const;
      return { ...notice, seq: Number(line.seq), time, runId, synthetic: true };
    });
    this.#refused.clear();
    this.#lastSeq = seq;
    return notices.toSorted((a, b) => a.seq - b.seq);
  }

  #isBefore(number: unknown, seq: number): boolean {
    return Number.isInteger(number) && Number(number) > this.#lastSeq && Number(number) < seq;
  }
}

/** The beginning of a file that an executor left behind; nothing when there is none. */
export function readLeftover(path: string, maxBytes: number): Buffer | undefined {
  const found: Buffer[] = [];
  let left = maxBytes;
  for (const piece of pieces(path)) {
    found.push(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return found.length > 0 ? Buffer.concat(found) : undefined;
}

function* pieces(path: string): Generator<Buffer> {
  const file = openOwnFile(path);
  if (file === undefined) return;
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const count = readSync(file, piece);
      if (count === 0) return;
      yield piece.subarray(0, count);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * The spool of an executor that was started manually is in a user-supplied folder that agents can write: a link there
 * could lead to a file that they must not read.
 */
function openOwnFile(path: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, FLAGS);
  } catch {
    return undefined;
  }
  const found = fstatSync(file);
  if (found.isFile() && found.nlink === 1 && found.uid === process.getuid?.()) return file;
  closeSync(file);
  return undefined;
}
