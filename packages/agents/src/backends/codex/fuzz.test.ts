import type { EventDraft } from '@baton/engine/definition/dialect';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { execDialect } from '../../dialects/codex-jsonl/exec.ts';
import { brokenPromises, recordings, replayed } from '../../testing/recordings.ts';
import { AppServerDialect } from './app-server-dialect.ts';
import { codexDialects } from './backend.ts';

const isLong = process.env.BATON_LONG === '1';
const LINES = [...new Set(recordings('codex').flatMap(({ lines }) => lines))].filter(
  (line) => line.length < 5000,
);
const line = fc.constantFrom(...LINES);
const junk = fc.oneof(fc.json(), fc.string(), fc.constantFrom('null', '[]', '{}', '0', '""'));

/** A line in which a value was replaced, or from which something is missing. */
const mutated = fc.oneof(
  line,
  junk,
  fc
    .tuple(line, fc.nat(), fc.nat(20), fc.string({ maxLength: 5 }))
    .map(([text, at, length, put]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + put + text.slice(start + length);
    }),
  fc.tuple(line, fc.nat(), fc.jsonValue()).map(([text, at, value]) => {
    const values = [...text.matchAll(/:(?:"[^"]*"|[\d.]+|true|false|null)/g)];
    const match = values[at % Math.max(values.length, 1)];
    if (!match) return text;
    const end = match.index + match[0].length;
    return `${text.slice(0, match.index)}:${JSON.stringify(value)}${text.slice(end)}`;
  }),
);

test('no line makes a dialect throw, whatever came before', () => {
  fc.assert(
    fc.property(fc.array(mutated, { maxLength: 40 }), (lines) => {
      const drafts: EventDraft[] = [];
      const out = {
        emit: (draft: EventDraft) => void drafts.push(draft),
        write: () => {},
        complete: () => {},
      };
      const live = new AppServerDialect(out, {
        cwd: '/w',
        thread: { method: 'thread/start', params: {} },
        turn: {},
      });
      live.open();
      live.prompt({ text: 'Go.', images: [] });
      for (const dialect of [live, new AppServerDialect(out), execDialect(out)]) {
        for (const text of lines) dialect.line(text);
        dialect.end({ code: 0, stderr: '' });
      }
    }),
    { numRuns: isLong ? 20_000 : 500 },
  );
});

test('mixed lines of all recordings still make one stream that fulfils its guarantees', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const { events } = replayed({ id: 'codex-cli', label: 'Codex' }, codexDialects, {
        lines,
        end: { stderr: '' },
      });
      expect(brokenPromises(events)).toEqual([]);
    }),
    { numRuns: isLong ? 10_000 : 200 },
  );
});
