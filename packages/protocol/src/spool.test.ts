import { expect, test } from 'vitest';
import { spoolEvents, spoolLine, spoolName } from './spool.ts';
import { SAMPLE_EVENTS } from './testing/sample-events.ts';

test('every event comes back from its line', () => {
  expect(spoolEvents(SAMPLE_EVENTS.map(spoolLine).join(''))).toEqual(SAMPLE_EVENTS);
});

test('half a line at the end is passed over', () => {
  const [first] = SAMPLE_EVENTS;
  if (!first) throw new Error('unreachable');
  expect(spoolEvents(`${spoolLine(first)}{"type":"mess`)).toEqual([first]);
  expect(spoolEvents('{"type"')).toEqual([]);
  expect(spoolEvents('')).toEqual([]);
});

test('reads nothing after a broken line', () => {
  const [first, second] = SAMPLE_EVENTS.map(spoolLine);
  expect(spoolEvents(`${first}\0\0\0\n${second}`)).toEqual(SAMPLE_EVENTS.slice(0, 1));
});

test('each task has its own file', () => {
  expect(spoolName('t')).toBe('t.spool');
});
