import { createReadStream, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Baton } from '@baton/agents/registry/baton';
import type { DialectEntry, StreamEnd } from '@baton/engine/definition/dialect';
import { type Recognised, Replay, recogniseLine } from '@baton/engine/run/replay';
import { LineSplitter } from '@baton/process';
import { type AgentEvent, BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed, textOf } from '../arguments/command.ts';
import { drained } from '../terminal/drained.ts';
import { jsonView } from '../view/json-view.ts';
import { transcriptView } from '../view/transcript-view.ts';

/** Number of lines read to detect the format: CI logs start with other lines. */
const LOOK_AT_LINES = 10_000;
const LOOK_AT_CHARACTERS = 32_000_000;

/**
 * Prefix that CI adds to each line: a timestamp, in brackets or not. `gh run view --log` puts the job and the step
 * before it, GitLab the number and kind of the stream after it, and GitHub's files begin with a byte order mark.
 */
const STAMP =
  /^\uFEFF?(?:[^\t]*\t[^\t]*\t)?\[?(?:\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\d(?:\.\d+)?Z?\]? +(?:[\da-f]{2}[OE][ +])?/;

const EXIT_HINT = 'If the recording is complete, pass the exit code of the program: --exit 0.';

export const normalize: Command = {
  name: 'normalize',
  summary: 'Convert recorded agent output into events.',
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
      about: 'transport of the recording (default: detected)',
    },
    stderr: {
      type: 'string',
      value: 'FILE',
      about: 'file with the recorded stderr',
      choices: 'files',
    },
    exit: {
      type: 'string',
      value: 'CODE|SIGNAL',
      about: 'exit code or signal of the recorded process',
    },
    json: { type: 'boolean', about: 'print events as JSON, one per line, instead of a transcript' },
  },
  notes: ['Without FILE, reads the recording from stdin.'],
  run: normalizeRecording,
};

async function normalizeRecording(parsed: Parsed, baton: Baton): Promise<number> {
  const name = textOf(parsed, 'backend');
  if (!name) throw new BatonError('usage', 'Missing --backend: the agent that was recorded.');
  if (parsed.positionals.length > 1) throw new BatonError('usage', 'Expected at most one FILE.');
  const entry = baton.backend(name);
  const { dialects = [] } = await entry.load();
  if (dialects.length === 0) {
    throw new BatonError('capability_missing', `Recordings of ${entry.label} are not supported.`, {
      hint: 'Its backend declares no dialects. See "Writing a backend" in docs/backends.md.',
    });
  }
  const end: StreamEnd = {
    ...exitOf(textOf(parsed, 'exit')),
    stderr: readText(textOf(parsed, 'stderr')),
  };
  const view = isSet(parsed, 'json') ? jsonView() : transcriptView();
  const push = (recorded: AgentEvent) => {
    const event = withExitHint(recorded, end);
    view.show(event);
    // A transcript has no hints.
    if (event !== recorded && !isSet(parsed, 'json')) process.stderr.write(`hint: ${EXIT_HINT}\n`);
  };
  const transport = textOf(parsed, 'transport');
  const known = transport === undefined ? undefined : named(dialects, transport);
  const open = (dialect: DialectEntry) => new Replay({ backend: entry, entry: dialect, push });
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

/** Some formats end with the exit of the program, which the recording does not have. */
function withExitHint(event: AgentEvent, { code, signal }: StreamEnd): AgentEvent {
  const isKnown = code !== undefined || signal !== undefined;
  if (isKnown || event.type !== 'run.completed' || event.error?.code !== 'interrupted')
    return event;
  return { ...event, error: { ...event.error, hint: EXIT_HINT } };
}

/** A line, or the beginning of one that was too long. */
type HeldLine = string | { head: string; bytes: number };

type ReaderInput = {
  /** Returns the dialect of the agent, if a line shows it. */
  recognise(line: string): Recognised | undefined;
  /** Returns the dialect for input that shows none. */
  fallback(isEmpty: boolean): DialectEntry;
  open(dialect: DialectEntry): Replay;
};

/** Buffers the first lines until the dialect is known. */
class RecordingReader {
  #input: ReaderInput;
  #held: HeldLine[] = [];
  #characters = 0;
  /** Dialect suggested by an earlier line, until another line is certain. */
  #guess: DialectEntry | undefined;
  #isStamped = false;
  #replay: Replay | undefined;

  constructor(input: ReaderInput) {
    this.#input = input;
  }

  line(line: string): void {
    if (this.#replay) return this.#replay.line(this.#unstamped(line));
    const found = this.#recognise(line);
    this.#hold(line, line.length);
    this.#guess ??= found?.entry;
    if (found?.isCertain) this.#begin(found.entry);
  }

  /** Removes timestamps only if a line shows that they are not the agent's own. */
  #recognise(line: string): Recognised | undefined {
    const found = this.#input.recognise(line);
    if (found?.isCertain || !STAMP.test(line)) return found;
    const behind = this.#input.recognise(line.replace(STAMP, ''));
    if (!behind?.isCertain) return found;
    this.#isStamped = true;
    return behind;
  }

  #unstamped(line: string): string {
    return this.#isStamped ? line.replace(STAMP, '') : line;
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
      if (typeof line === 'string') replay.line(this.#unstamped(line));
      else replay.longLine(line.head, line.bytes);
    }
    return replay;
  }
}

/** Returns the last dialect, which accepts everything; warns the user, because it may be the wrong one. */
function readAsText(
  label: string,
  dialects: readonly DialectEntry[],
  isEmpty: boolean,
): DialectEntry {
  const last = dialects.at(-1);
  if (!last) throw new BatonError('internal', 'The backend has no dialect.');
  if (isEmpty) return last;
  process.stderr.write(
    `warning: Not a known output format of ${label}; reading it as plain text. To choose a format, pass --transport: ${dialects.map(({ transport }) => transport).join(', ')}.\n`,
  );
  return last;
}

function named(dialects: readonly DialectEntry[], transport: string): Recognised {
  const entry = dialects.find((dialect) => dialect.transport === transport);
  if (entry) return { entry, isCertain: true };
  throw new BatonError('usage', `Unknown transport "${transport}".`, {
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
  return new BatonError('usage', `Cannot read ${path}: ${why}`, { cause });
}

function exitOf(text: string | undefined): { code?: number; signal?: string } {
  if (text === undefined) return {};
  if (/^\d+$/.test(text) && Number(text) < 256) return { code: Number(text) };
  const name = text.toUpperCase();
  const signal = name.startsWith('SIG') ? name : `SIG${name}`;
  if (Object.hasOwn(constants.signals, signal)) return { signal };
  throw new BatonError('usage', `--exit expects an exit code or a signal, not "${text}".`, {
    hint: 'For example 0, 1, 137, SIGTERM or KILL.',
  });
}
