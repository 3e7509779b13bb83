import { expect, test } from 'vitest';
import { promptWords } from './prompt-words.ts';

test.each([
  ['Mend it.', 'Mend it.', 'Mend it.'],
  ['Mend it.', 'Mend it.\n', 'Mend it.'],
  ['Mend it, ', 'Mend it, and paint it.', 'Mend it,…'],
  ['Wave \uD83D', 'Wave \uD83D\uDC4B', 'Wave…'],
  ['', '', 'Empty prompt'],
])('%j of %j', (description, full_prompt, words) => {
  expect(promptWords({ description, full_prompt })).toBe(words);
});
