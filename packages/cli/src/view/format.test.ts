import { expect, test } from 'vitest';
import { ago, duration, roughly } from './format.ts';
import { launchLine } from './launch-line.ts';

test.each([
  [0, '0 ms'],
  [340.4, '340 ms'],
  [999.6, '1.0 s'],
  [12_340, '12.3 s'],
  [59_949, '59.9 s'],
  [59_999, '1 min 00 s'],
  [245_000, '4 min 05 s'],
  [3_600_000, '60 min 00 s'],
])('%d milliseconds are %s', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [12_000_000, '3 h 20 min'],
  [86_400_000, '1 d'],
  [360_000_000, '4 d 4 h'],
])('%d milliseconds are roughly %s', (milliseconds, words) => {
  expect(roughly(milliseconds)).toBe(words);
});

test('shows a time as an age', () => {
  expect(ago('2026-01-01T00:00:00.000Z', Date.parse('2026-01-01T00:05:10.000Z'))).toBe('5 min ago');
});

test('a launched command can be pasted into a shell', () => {
  const args = ['plain', 'two words', "it's", '', '$HOME', '\u001b[31m'];
  expect(launchLine({ file: '/bin/x', args, cwd: '/w', transport: 'live' })).toBe(
    "command (live, in /w): /bin/x plain 'two words' 'it'\\''s' '' '$HOME' ''",
  );
});
