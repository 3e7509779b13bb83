import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type AgentEvent, eventSchema, spoolEvents } from '@baton/protocol';

const PIECE_BYTES = 1024 * 1024;
/** No event of an executor is nearly as long. */
const LONGEST_LINE_BYTES = 64 * PIECE_BYTES;
const NEWLINE = 0x0a;
/** A pipe under this name must not make anybody wait. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads the events of a spool piece by piece, up to the first that is broken or makes no sense. */
export function* readSpool(path: string): Generator<AgentEvent[]> {
  let rest = Buffer.alloc(0);
  for (const piece of pieces(path)) {
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    if (rest.length > LONGEST_LINE_BYTES) return;
    if (end === 0) continue;
    const text = bytes.toString('utf8', 0, end);
    const events = sensible(spoolEvents(text));
    if (events.length > 0) yield events;
    if (events.length < text.split('\n').length - 1) return;
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
 * Whoever starts an executor by hand says where its spool is, and agents can write there: a link in that place would
 * lead to a file that they must not see.
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

function sensible(events: readonly AgentEvent[]): AgentEvent[] {
  const wrong = events.findIndex((event) => !eventSchema.safeParse(event).success);
  return wrong === -1 ? [...events] : events.slice(0, wrong);
}
