import { createReadStream, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { BatonError } from '@baton/protocol';
import {
  backendEntry,
  type DialectEntry,
  LineSplitter,
  type Recognised,
  Replay,
  recogniseLine,
  type StreamEnd,
} from '@baton/runtime';
import { type Command, isSet, type Parsed, textOf } from '../command.ts';
import { drained } from '../drained.ts';
import { jsonView } from '../view/json.ts';
import { transcriptView } from '../view/transcript.ts';

/** So much is looked at to find out how the agent speaks: logs of others begin with lines of their own. */
const LOOK_AT_LINES = 10_000;
const LOOK_AT_CHARACTERS = 32_000_000;

export const normalize: Command = {
  name: 'normalize',
  summary: "Turn an agent's recorded output into Baton's events.",
  usage: 'baton normalize --backend NAME [options] [FILE]',
  options: {
    backend: {
      type: 'string',
      short: 'b',
      value: 'NAME',
      about: 'the agent that was recorded',
      choices: 'backends',
    },
    transport: {
      type: 'string',
      value: 'NAME',
      about: 'how it was spoken to; recognised when not given',
    },
    stderr: {
      type: 'string',
      value: 'FILE',
      about: 'what it printed on standard error',
      choices: 'files',
    },
    exit: {
      type: 'string',
      value: 'CODE|SIGNAL',
      about: 'its exit code, or the signal that ended it',
    },
    json: { type: 'boolean', about: 'print one event per line, as JSON, instead of a transcript' },
  },
  notes: ['Without FILE the recording is read from standard input.'],
  run: normalizeRecording,
};

async function normalizeRecording(parsed: Parsed): Promise<number> {
  const name = textOf(parsed, 'backend');
  if (!name) throw new BatonError('usage', 'Which agent was recorded? Name it with --backend.');
  if (parsed.positionals.length > 1)
    throw new BatonError('usage', 'Only one recording can be read at a time.');
  const entry = backendEntry(name);
  const { dialects } = await entry.load();
  const end: StreamEnd = {
    ...exitOf(textOf(parsed, 'exit')),
    stderr: readText(textOf(parsed, 'stderr')),
  };
  const view = isSet(parsed, 'json') ? jsonView() : transcriptView();
  const transport = textOf(parsed, 'transport');
  const known = transport === undefined ? undefined : named(dialects, transport);
  const open = (dialect: DialectEntry) =>
    new Replay({ backend: entry, entry: dialect, push: (event) => view.show(event) });
  const reader = new RecordingReader({
    recognise: (line) => known ?? recogniseLine(dialects, line),
    fallback: (isEmpty) => known?.entry ?? readAsText(entry.label, dialects, isEmpty),
    open,
  });
  const splitter = new LineSplitter((line) => reader.line(line), {
    onTooLong: (head, bytes) => reader.longLine(head, bytes),
  });
  const path = parsed.positionals[0];
  try {
    for await (const chunk of input(path)) {
      splitter.push(chunk as Buffer);
      await drained(process.stdout);
    }
  } catch (cause) {
    throw BatonError.is(cause) ? cause : unreadable(path ?? 'The recording', cause);
  }
  splitter.end();
  reader.end(end);
  return 0;
}

/** A line, or what is known of one that was too long. */
type HeldLine = string | { head: string; bytes: number };

type ReaderInput = {
  /** Tells how the agent speaks, where a line shows it. */
  recognise(line: string): Recognised | undefined;
  /** How to read what shows nothing. */
  fallback(isEmpty: boolean): DialectEntry;
  open(dialect: DialectEntry): Replay;
};

/** Holds the first lines back until the dialect is known. */
class RecordingReader {
  #input: ReaderInput;
  #held: HeldLine[] = [];
  #characters = 0;
  /** What a line before looked like, until another one leaves no doubt. */
  #guess: DialectEntry | undefined;
  #replay: Replay | undefined;

  constructor(input: ReaderInput) {
    this.#input = input;
  }

  line(line: string): void {
    if (this.#replay) return this.#replay.line(line);
    const found = this.#input.recognise(line);
    this.#hold(line, line.length);
    this.#guess ??= found?.entry;
    if (found?.isCertain) this.#begin(found.entry);
  }

  longLine(head: string, bytes: number): void {
    if (this.#replay) return this.#replay.longLine(head, bytes);
    this.#hold({ head, bytes }, head.length);
  }

  end(end: StreamEnd): void {
    (this.#replay ?? this.#begin()).end(end);
  }

  #hold(line: HeldLine, characters: number): void {
    this.#held.push(line);
    this.#characters += characters;
    const isEnough = this.#held.length >= LOOK_AT_LINES || this.#characters >= LOOK_AT_CHARACTERS;
    if (isEnough) this.#begin();
  }

  #begin(dialect = this.#guess ?? this.#input.fallback(this.#held.length === 0)): Replay {
    const replay = this.#input.open(dialect);
    this.#replay = replay;
    for (const line of this.#held.splice(0)) {
      if (typeof line === 'string') replay.line(line);
      else replay.longLine(line.head, line.bytes);
    }
    return replay;
  }
}

/** The last way of reading, which takes everything; a person is told, because it may be the wrong one. */
function readAsText(
  label: string,
  dialects: readonly DialectEntry[],
  isEmpty: boolean,
): DialectEntry {
  const last = dialects.at(-1);
  if (!last) throw new BatonError('internal', 'The backend has no dialect.');
  if (isEmpty) return last;
  process.stderr.write(
    `warning: This does not look like output of ${label} that Baton knows, so it is read as text. Name another way to read it with --transport: ${dialects.map(({ transport }) => transport).join(', ')}.\n`,
  );
  return last;
}

function named(dialects: readonly DialectEntry[], transport: string): Recognised {
  const entry = dialects.find((dialect) => dialect.transport === transport);
  if (entry) return { entry, isCertain: true };
  throw new BatonError('usage', `There is no transport "${transport}".`, {
    hint: `Use one of ${dialects.map((dialect) => dialect.transport).join(', ')}.`,
  });
}

function input(path: string | undefined): AsyncIterable<unknown> {
  if (path === undefined || path === '-') return process.stdin;
  return createReadStream(path, { fd: attempt(path, () => openSync(path, 'r')) });
}

function readText(path: string | undefined): string {
  return path === undefined ? '' : attempt(path, () => readFileSync(path, 'utf8'));
}

function attempt<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): BatonError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new BatonError('usage', `${path} cannot be read: ${why}`, { cause });
}

function exitOf(text: string | undefined): { code?: number; signal?: string } {
  if (text === undefined) return {};
  if (/^\d+$/.test(text) && Number(text) < 256) return { code: Number(text) };
  const name = text.toUpperCase();
  const signal = name.startsWith('SIG') ? name : `SIG${name}`;
  if (Object.hasOwn(constants.signals, signal)) return { signal };
  throw new BatonError('usage', `--exit expects an exit code or a signal, not "${text}".`, {
    hint: 'Such as 0, 1, 137, SIGTERM or KILL.',
  });
}
