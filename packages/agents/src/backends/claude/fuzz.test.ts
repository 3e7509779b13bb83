import { isObject } from '@baton/config/values/json';
import { brokenPromises } from '@baton/engine/run/event-promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordings, replayed } from '../../testing/recordings.ts';
import { claudeDialects } from './dialect.ts';

const isLong = process.env.BATON_LONG === '1';
const all = recordings('claude').filter(({ lines }) => lines.length > 2);

const mutation = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('value', 'drop', 'copy', 'swap', 'cut', 'flip'),
  path: fc.array(fc.nat(), { maxLength: 6 }),
  value: fc.jsonValue({ maxDepth: 2 }),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

test(
  'recordings that were tampered with never trip the reader and always end in order',
  () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        (pick, mutations) => {
          const recording = all[pick % all.length];
          const lines = mutations.reduce(mutate, recording?.lines ?? []);
          const end = recording?.end ?? { stderr: '' };
          const { events } = replayed({ id: 'claude-cli', label: 'Claude Code' }, claudeDialects, {
            lines,
            end,
          });
          expect(brokenPromises(events)).toEqual([]);
          const trips = events.filter(
            (event) =>
              event.type === 'notice' && event.message.startsWith('A line could not be read'),
          );
          expect(trips).toEqual([]);
        },
      ),
      { numRuns: isLong ? 50_000 : 500 },
    );
  },
  isLong ? 1_800_000 : 30_000,
);

function mutate(lines: readonly string[], { at, how, path, value }: Mutation): string[] {
  const index = lines.length === 0 ? 0 : at % lines.length;
  const line = lines[index] ?? '';
  if (how === 'drop') return lines.filter((_, place) => place !== index);
  if (how === 'copy') return [...lines.slice(0, index), line, ...lines.slice(index)];
  if (how === 'swap') return [...lines.slice(index), ...lines.slice(0, index)];
  return lines.map((each, place) => {
    if (place !== index) return each;
    if (how === 'cut') return each.slice(0, at % (each.length + 1));
    if (how === 'flip') return each.replace('"', JSON.stringify(value));
    return withValue(each, path, value);
  });
}

/** Puts a value somewhere into a message. */
function withValue(line: string, path: readonly number[], value: unknown): string {
  try {
    return JSON.stringify(replaced(JSON.parse(line), path, value));
  } catch {
    return line;
  }
}

function replaced(target: unknown, [step, ...rest]: readonly number[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(target) && target.length > 0) {
    return target.with(step % target.length, replaced(target[step % target.length], rest, value));
  }
  if (!isObject(target)) return value;
  const key = Object.keys(target)[step % Math.max(1, Object.keys(target).length)] ?? 'new';
  return { ...target, [key]: replaced(target[key], rest, value) };
}
