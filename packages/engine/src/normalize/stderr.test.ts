import { expect, test } from 'vitest';
import type { EventDraft } from '../definition/dialect.ts';
import { stderrNotices } from './stderr.ts';

function messages(lines: readonly string[]): string[] {
  const drafts: EventDraft[] = [];
  const notice = stderrNotices((draft) => drafts.push(draft));
  for (const line of lines) notice(line);
  return drafts.map((draft) => {
    expect(draft).toMatchObject({ type: 'notice', level: 'info', code: 'stderr' });
    return draft.type === 'notice' ? draft.message : '';
  });
}

test('each line is a notice', () => {
  expect(messages(['one', '  two  '])).toEqual(['one', '  two']);
});

test('empty lines and colours are nobody’s business', () => {
  expect(messages(['', ' \t', '\u001b[31m\u001b[0m', '\u001b[31mred\u001b[0m\r'])).toEqual(['red']);
});

test('a flood is cut, and the last notice says so', () => {
  const flood = messages(Array.from({ length: 100_000 }, (_, index) => `line ${index}`));
  expect(flood).toHaveLength(201);
  expect(flood[199]).toBe('line 199');
  expect(flood[200]).toBe('Further lines on standard error are not shown.');
});

test('exactly as many as are shown are no flood', () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`);
  expect(messages(lines)).toEqual(lines);
});
