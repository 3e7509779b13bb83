import { type AgentEvent, addUsage, type RunResult, type Usage } from '@baton/protocol/values';
import type {
  Dialect,
  DialectEntry,
  EventDraft,
  StreamEnd,
  Verdict,
} from '../definition/dialect.ts';
import { judgeEnd } from '../normalize/end-verdict.ts';
import { keepHead, readLine } from '../normalize/read-line.ts';
import { stderrNotices } from '../normalize/stderr.ts';
import { Recorder } from './recorder.ts';

/** Facts about a recording besides its output. */
type ReplayInput = {
  backend: { id: string; label: string };
  entry: DialectEntry;
  cwd?: string;
  push(event: AgentEvent): void;
};

/** Reads a recording of an agent as one run, line by line, into the events that the live agent would have emitted. */
export class Replay {
  #input: ReplayInput;
  #recorder: Recorder;
  #dialect: Dialect;
  #spoken: Verdict | undefined;
  #usage: Usage | undefined;
  #emit = (draft: EventDraft) => this.#recorder.emit(this.#sinceBeginning(draft));

  constructor(input: ReplayInput) {
    this.#input = input;
    this.#recorder = new Recorder('replay', input.push);
    this.#recorder.started({
      backend: input.backend.id,
      transport: input.entry.transport,
      cwd: input.cwd ?? '.',
    });
    this.#dialect = input.entry.create({
      emit: this.#emit,
      write: () => {},
      complete: (verdict) => this.#complete(verdict),
    });
  }

  /** Reads one line of standard output. */
  line(line: string): void {
    readLine(this.#dialect, line, this.#emit);
  }

  /** Takes the first part of a line that was too long to be read whole. */
  longLine(head: string, bytes: number): void {
    keepHead(head, bytes, this.#emit);
  }

  /** Ends the run with what is known about the end of the process. */
  end(end: StreamEnd): RunResult {
    const notice = stderrNotices(this.#emit);
    for (const line of end.stderr.split('\n')) {
      if (!this.#dialect.stderrLine?.(line)) notice(line);
    }
    const { label } = this.#input.backend;
    const open = this.#dialect.end(end);
    const verdict = open ?? this.#spoken ?? judgeEnd(end, label, { understood: false });
    return this.#recorder.complete({
      outcome: verdict.outcome,
      output: verdict.output,
      structured: verdict.structured,
      usage: open ? addUsage(this.#usage, open.usage) : this.#usage,
      nativeSessionId: this.#recorder.nativeSessionId,
      exitCode: end.code ?? undefined,
      signal: end.signal ?? undefined,
      error: verdict.outcome === 'done' ? undefined : verdict.error,
    });
  }

  /** A turn reports its own usage; a recording may have more than one turn. */
  #sinceBeginning(draft: EventDraft): EventDraft {
    if (draft.type !== 'usage.updated') return draft;
    return { ...draft, usage: addUsage(this.#usage, draft.usage) ?? draft.usage };
  }

  #complete(verdict: Verdict): void {
    this.#spoken = verdict;
    this.#usage = addUsage(this.#usage, verdict.usage);
    // Another turn may follow, which ends nothing of this one.
    if (verdict.outcome !== 'done') this.#recorder.breakOff(verdict.outcome);
  }
}

/** Dialect that an agent seems to use; a guess holds only until another line leaves no doubt. */
export type Recognised = { entry: DialectEntry; isCertain: boolean };

/** Recognises the dialect of an agent by a line; returns undefined if the line could come from anywhere. */
export function recogniseLine(
  entries: readonly DialectEntry[],
  line: string,
): Recognised | undefined {
  const certain = entries.find(({ recognises }) => recognises(line));
  if (certain) return { entry: certain, isCertain: true };
  const entry = entries.find(({ mayBe }) => mayBe?.(line));
  return entry && { entry, isCertain: false };
}

/** Finds the dialect of a recording by its lines; the last entry is the one for everything else. */
export function recognise(
  entries: readonly DialectEntry[],
  lines: readonly string[],
): DialectEntry | undefined {
  let guess: DialectEntry | undefined;
  for (const line of lines) {
    const found = recogniseLine(entries, line);
    if (found?.isCertain) return found.entry;
    guess ??= found?.entry;
  }
  return guess ?? entries.at(-1);
}
