import { expect, test } from 'vitest';
import { claudeDialects } from '../../../agents/src/backends/claude/dialect.ts';
import { codexDialects } from '../../../agents/src/backends/codex/backend.ts';
import { recordings } from '../../../agents/src/testing/recordings.ts';
import type { DialectEntry } from '../definition/dialect.ts';
import { Replay } from './replay.ts';

const LINES = 1_000_000;
const LINES_PER_RUN = 500;
const JUNK = [
  '',
  '{',
  '}',
  '"',
  '\\',
  '\u2028',
  '💥',
  'null',
  '[]',
  '0',
  '-1e999',
  '\ufffd',
  '{"type":"',
];

const SUBJECTS: readonly { agent: string; dialects: readonly DialectEntry[] }[] = [
  { agent: 'claude', dialects: claudeDialects },
  { agent: 'codex', dialects: codexDialects },
];

test.for(SUBJECTS)(
  'a million mutated lines of $agent: no throw, no hang, bounded memory',
  ({ agent, dialects }) => {
    const lines = recordings(agent)
      .flatMap((recording) => recording.lines)
      .filter((line) => line.length < 20_000);
    const random = seeded(20_261_115);
    const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item;
    let trips = 0;
    let ends = 0;
    let heap = 0;
    for (let read = 0; read < LINES; read += LINES_PER_RUN) {
      const replay = new Replay({
        backend: { id: agent, label: agent },
        entry: pick(dialects),
        push: (event) => {
          if (event.type === 'run.completed') ends += 1;
          if (event.type === 'notice' && event.message.startsWith('A line could not be read'))
            trips += 1;
        },
      });
      for (let count = 0; count < LINES_PER_RUN; count += 1)
        replay.line(mutated(pick(lines), random, pick));
      replay.end({ code: random(3), stderr: '' });
      if (read === LINES / 10) heap = settledHeap();
    }
    expect(trips).toBe(0);
    expect(ends).toBe(LINES / LINES_PER_RUN);
    expect(settledHeap() - heap).toBeLessThan(50_000_000);
  },
);

function mutated(
  line: string,
  random: (limit: number) => number,
  pick: (items: readonly string[]) => string,
): string {
  const start = random(line.length + 1);
  switch (random(5)) {
    case 0:
      return line;
    case 1:
      return line.slice(0, start);
    case 2:
      return line.slice(0, start) + pick(JUNK) + line.slice(start);
    case 3:
      return line.slice(0, start) + line.slice(start + random(20));
    default:
      return line.replace(
        /:("[^"]*"|\d+|true|false|null)/,
        () => `:${pick(['null', '1', '"x"', '[]', '{}', 'true'])}`,
      );
  }
}

/** Always the same numbers, so that a failure can be repeated. */
function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function settledHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
