import { isObject, parseJson } from '@baton/config/values/json';
import type { DialectEntry } from '@baton/engine/definition/dialect';
import type { AgentEvent, RunResult } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brokenPromises, type Recording, recordings, replayed } from './recordings.ts';
import { changed, changes } from './tampered-lines.ts';

/** End of a recording: outcome, error code, and the beginning of its output. */
export type ExpectedEnd = readonly [RunResult['outcome'], string | undefined, string];

/** Facts that a small reader of the raw lines, which shares no code with the dialect, finds in a recording. */
export type RecordedFacts = {
  /** The last words of the model; not given where the run failed. */
  text?: string | undefined;
  /** Everything that the model said. */
  said?: string;
  /** The words of the error. */
  error?: string | undefined;
  sessionId: string | undefined;
  tools?: number;
  /** Those that were refused, failed or never ended. */
  failedTools?: number;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
};

type Subject = {
  agent: string;
  backend: { id: string; label: string };
  dialects: readonly DialectEntry[];
  expected: Readonly<Record<string, ExpectedEnd>>;
  /** Undefined where the reader does not know the format. */
  facts: (recording: Recording) => RecordedFacts | undefined;
};

/** Replays every recording of an agent: the promises of the stream, how it ends, and what an independent reader finds. */
export function describeRecordings({ agent, backend, dialects, expected, facts }: Subject): void {
  const all = recordings(agent).map((it) => [it.name, it] as const);
  const replay = (it: Pick<Recording, 'lines' | 'end'>) => replayed(backend, dialects, it);

  test('every recording has an expectation', () => {
    expect(all.map(([name]) => name).sort()).toEqual(Object.keys(expected).sort());
  });

  test('recordings that were tampered with never break the reader', () => {
    const long = all.map(([, it]) => it).filter(({ lines }) => lines.length > 2);
    fc.assert(
      fc.property(fc.constantFrom(...long), changes, ({ lines, end }, made) => {
        const { events } = replay({ lines: made.reduce(changed, lines), end });
        expect(brokenPromises(events)).toEqual([]);
        expect(events.filter(isUnreadable)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  describe('a recording', () => {
    test.each(all)('%s keeps the promises of the stream and ends as expected', (name, it) => {
      const { events, result } = replay(it);
      const [outcome, code, output = ''] = expected[name] ?? [];
      expect(brokenPromises(events)).toEqual([]);
      expect(events.filter(({ type }) => type === 'unparsed')).toEqual([]);
      expect({ outcome: result.outcome, code: result.error?.code }).toEqual({ outcome, code });
      expect(result.output.slice(0, output.length)).toBe(output);
      expect(result.output === '').toBe(output === '');
    });

    test.each(all)('%s gives the facts that its raw lines hold', (_, it) => {
      const { events, result } = replay(it);
      const found = facts(it);
      if (!found) return;
      const { text, said, error, ...rest } = found;
      if (text !== undefined) expect(result.output.trim()).toBe(text.trim());
      if (said !== undefined) expect(wordsIn(events)).toBe(said);
      if (error !== undefined) expect(result.error?.message).toBe(error);
      const completed = events.filter(({ type }) => type === 'tool.completed');
      expect({
        sessionId: result.nativeSessionId,
        tools: events.filter(({ type }) => type === 'tool.started').length,
        failedTools: completed.filter((event) => 'outcome' in event && event.outcome !== 'ok')
          .length,
        inputTokens: result.usage?.inputTokens,
        outputTokens: result.usage?.outputTokens,
      }).toMatchObject(result.outcome === 'cancelled' ? withoutZero(rest) : rest);
    });

    test.each(all)('%s is not changed by lines and fields that nobody knows', (_, it) => {
      // A recording without a known line is read as text, where every line counts.
      if (!it.lines.some((line) => isObject(parseJson(line)))) return;
      const lines = it.lines.flatMap((line) => [
        withUnknownField(line),
        '{"method":"x/new"}',
        '???',
      ]);
      const { events } = replay({ ...it, lines });
      expect(brokenPromises(events)).toEqual([]);
      expect(summary(events)).toEqual(summary(replay(it).events));
    });

    test.each(all)('%s ends exactly once wherever it is cut', (_, it) => {
      for (let count = 0; count <= it.lines.length; count += 1) {
        const whole = it.lines.slice(0, count);
        const half = it.lines[count]?.slice(0, 40);
        for (const lines of half === undefined ? [whole] : [whole, [...whole, half]]) {
          expect(brokenPromises(replay({ lines, end: { stderr: '' } }).events)).toEqual([]);
        }
      }
    });
  });
}

/** The notice about a line on which the reader threw. */
function isUnreadable(event: AgentEvent): boolean {
  return event.type === 'notice' && event.message.startsWith('A line could not be read');
}

function wordsIn(events: readonly AgentEvent[]): string {
  const said = events.flatMap((event) =>
    event.type === 'message.completed' && event.kind === 'text' ? [event.text] : [],
  );
  return said.join('');
}

function withUnknownField(line: string): string {
  return /^\{"/.test(line) ? line.replace('{', '{"nobody":{"knows":1},') : line;
}

/** Summarises events, without fields that may differ and without unknown lines. */
function summary(events: readonly AgentEvent[]): unknown[] {
  return events
    .filter(
      (event) => event.type !== 'unparsed' && !(event.type === 'notice' && event.message === '???'),
    )
    .map((event) => ({ ...event, seq: 0, time: 0, durationMs: 0 }));
}

/** Counts of no token are not reported of an answer that was stopped. */
function withoutZero<Counts extends Pick<RecordedFacts, 'inputTokens' | 'outputTokens'>>(
  counts: Counts,
) {
  const isZero = counts.inputTokens === 0 && counts.outputTokens === 0;
  return isZero ? { ...counts, inputTokens: undefined, outputTokens: undefined } : counts;
}
