import { createReadStream } from 'node:fs';
import type { BatonClient, ImportReceipt } from '@baton/client';
import { LineSplitter } from '@baton/process';
import { BatonError, type LogEvent, logEventSchema } from '@baton/protocol';
import { readFileHead } from './session-file.ts';

const EVENTS_AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 1_000_000;

/** Hands the file of a session over to a daemon, piece by piece. */
export async function importFile(client: BatonClient, path: string): Promise<ImportReceipt> {
  const lines = linesOf(path);
  const head = readFileHead((await lines.next()).value);
  const { session_id } = head;
  let count = 0;
  for await (const events of piecesOf(lines)) {
    await client.imports.create({ session_id, events });
    count += events.length;
  }
  if (count !== head.events) {
    throw new BatonError('usage', `Truncated file: ${count} of ${head.events} events.`, {
      hint: 'Export the session again.',
    });
  }
  return client.imports.create({ session_id, events: [], done: true });
}

async function* linesOf(path: string): AsyncGenerator<string, undefined> {
  const input = path === '-' ? process.stdin : createReadStream(path);
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  try {
    for await (const chunk of input) {
      splitter.push(chunk);
      yield* lines.splice(0);
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('usage', `Cannot read ${path}: ${why}`, {
      hint: 'Create the file with "baton export SESSION > FILE"; use "-" to read from stdin.',
      cause,
    });
  }
  splitter.end();
  yield* lines;
  return undefined;
}

async function* piecesOf(lines: AsyncIterable<string>): AsyncGenerator<LogEvent[]> {
  let piece: LogEvent[] = [];
  let characters = 0;
  let number = 1;
  for await (const line of lines) {
    number += 1;
    const event = eventOf(line, number);
    if (event.cursor !== number - 1) {
      const words = `Line ${number} is event ${event.cursor}, expected event ${number - 1}.`;
      throw new BatonError('usage', words, { hint: 'Export the session again.' });
    }
    piece.push(event);
    characters += line.length;
    if (piece.length < EVENTS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield piece;
    piece = [];
    characters = 0;
  }
  if (piece.length > 0) yield piece;
}

function eventOf(line: string, number: number): LogEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BatonError('usage', `Line ${number} is not JSON.`, { hint: 'Export it again.' });
  }
  const parsed = logEventSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BatonError(
    'usage',
    `Line ${number} is not a valid event: ${[...(issue?.path ?? []), issue?.message].join(': ')}`,
    { hint: 'Export the session again.' },
  );
}
