import { expect, test } from 'vitest';
import type { Dialect, EventDraft } from '../definition/dialect.ts';
import { keepHead, readLine } from './read-line.ts';

test('a line that a dialect trips over is kept, and the mistake is told', () => {
  const drafts: EventDraft[] = [];
  const broken: Dialect = {
    line: () => {
      throw new TypeError('x is not a function');
    },
    end: () => undefined,
  };
  readLine(broken, '{"type":"odd"}', (draft) => drafts.push(draft));
  expect(drafts).toEqual([
    { type: 'unparsed', source: 'stdout', line: '{"type":"odd"}' },
    {
      type: 'notice',
      level: 'error',
      code: 'agent_warning',
      message: 'A line could not be read: x is not a function',
    },
  ]);
});

test('a line that is understood is nobody else’s business', () => {
  const lines: string[] = [];
  readLine({ line: (line) => lines.push(line), end: () => undefined }, 'a', () => {
    throw new Error('nothing was to be told');
  });
  expect(lines).toEqual(['a']);
});

test('of a line that is too long the head is kept, and the rest is counted in bytes', () => {
  const drafts: EventDraft[] = [];
  keepHead('é…', 100, (draft) => drafts.push(draft));
  expect(drafts).toEqual([{ type: 'unparsed', source: 'stdout', line: 'é…', cutBytes: 95 }]);
});
