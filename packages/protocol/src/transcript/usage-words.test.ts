import { expect, test } from 'vitest';
import { usageWords } from './usage-words.ts';

test.each([
  [undefined, []],
  [{}, []],
  [{ totalTokens: 0, costUsd: 0 }, []],
  [{ totalTokens: 1234567 }, ['1,234,567 tokens']],
  [{ costUsd: 0.0123 }, ['$0.0123']],
  [{ costUsd: 0.12, costEstimated: true }, ['~$0.12']],
  [{ totalTokens: 5, costUsd: 1.5 }, ['5 tokens', '$1.50']],
])('usage %j is shown as %j', (usage, words) => {
  expect(usageWords(usage)).toEqual(words);
});
