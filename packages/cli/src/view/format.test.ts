import { expect, test } from 'vitest';
import { duration, usageWords } from './format.ts';
import { launchLine } from './launch.ts';

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
  [undefined, []],
  [{}, []],
  [{ totalTokens: 0, costUsd: 0 }, []],
  [{ totalTokens: 1234567 }, ['1,234,567 tokens']],
  [{ costUsd: 0.0123 }, ['$0.0123']],
  [{ totalTokens: 5, costUsd: 1.5 }, ['5 tokens', '$1.50']],
])('usage %j is told as %j', (usage, words) => {
  expect(usageWords(usage)).toEqual(words);
});

test('a launched command can be pasted into a shell', () => {
  const args = ['plain', 'two words', "it's", '', '$HOME', '\u001b[31m'];
  expect(launchLine({ file: '/bin/x', args, cwd: '/w', transport: 'live' })).toBe(
    "command (live, in /w): /bin/x plain 'two words' 'it'\\''s' '' '$HOME' ''",
  );
});
