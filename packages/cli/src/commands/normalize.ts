import { createReadStream, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { BatonError } from '@baton/protocol';
import {
  backendEntry,
  type DialectEntry,
  LineSplitter,
  Replay,
  recognise,
  type StreamEnd,
} from '@baton/runtime';
import { type Command, isSet, type Parsed, textOf } from '../command.ts';
import { drained } from '../drained.ts';
import { jsonView } from '../view/json.ts';
import { transcriptView } from '../view/transcript.ts';

/** So many lines are looked at to find out how the agent speaks. */
const LOOK_AT = 50;

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
  const reader = new RecordingReader(
    (lines) => (transport ? named(dialects, transport) : recognised(dialects, lines)),
    (dialect) => new Replay({ backend: entry, entry: dialect, push: (event) => view.show(event) }),
  );
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

/** Holds the first lines back until the dialect is known. */
class RecordingReader {
  #choose: (lines: readonly string[]) => DialectEntry;
  #open: (dialect: DialectEntry) => Replay;
  #held: HeldLine[] = [];
  #replay: Replay | undefined;

  constructor(
    choose: (lines: readonly string[]) => DialectEntry,
    open: (dialect: DialectEntry) => Replay,
  ) {
    this.#choose = choose;
    this.#open = open;
  }

  line(line: string): void {
    if (this.#replay) return this.#replay.line(line);
    this.#hold(line);
  }

  longLine(head: string, bytes: number): void {
    if (this.#replay) return this.#replay.longLine(head, bytes);
    this.#hold({ head, bytes });
  }

  end(end: StreamEnd): void {
    (this.#replay ?? this.#begin()).end(end);
  }

  #hold(line: HeldLine): void {
    this.#held.push(line);
    if (this.#held.length >= LOOK_AT) this.#begin();
  }

  #begin(): Replay {
    const whole = this.#held.filter((line) => typeof line === 'string');
    const replay = this.#open(this.#choose(whole));
    this.#replay = replay;
    for (const line of this.#held.splice(0)) {
      if (typeof line === 'string') replay.line(line);
      else replay.longLine(line.head, line.bytes);
    }
    return replay;
  }
}

function recognised(dialects: readonly DialectEntry[], lines: readonly string[]): DialectEntry {
  const found = recognise(dialects, lines);
  if (!found) throw new BatonError('internal', 'The backend has no dialect.');
  return found;
}

function named(dialects: readonly DialectEntry[], transport: string): DialectEntry {
  const found = dialects.find((dialect) => dialect.transport === transport);
  if (found) return found;
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
