import { expect, test } from 'vitest';
import type { EventDraft } from '../definition/dialect.ts';
import { strayLine } from './stray-line.ts';

function told(line: string): EventDraft[] {
  const drafts: EventDraft[] = [];
  strayLine(line, (draft) => drafts.push(draft));
  return drafts;
}

test.each(['', '  ', '\t\r', '\u001b[0m'])('the blank line %j says nothing', (line) => {
  expect(told(line)).toEqual([]);
});

test.each([
  ['npm warn deprecated x@1', 'npm warn deprecated x@1'],
  ['  Update available! \r', 'Update available!'],
  ['\u001b[33mnpm\u001b[0m notice', 'npm notice'],
  ['null', 'null'],
])('the words %j are a notice', (line, message) => {
  expect(told(line)).toEqual([{ type: 'notice', level: 'info', code: 'text', message }]);
});

test.each(['{"type":"brand.new"}', '{"type":"cut o', '[]', ' {'])(
  '%j was meant for a program, and is kept as it is',
  (line) => {
    expect(told(line)).toEqual([{ type: 'unparsed', source: 'stdout', line }]);
  },
);
