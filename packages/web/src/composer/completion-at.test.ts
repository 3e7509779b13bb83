import { expect, test } from 'vitest';
import { completed, completionAt } from './completion-at.ts';

test('the word at the caret is completed when it begins with a trigger', () => {
  const text = 'look at @src/ma please';
  const begun = completionAt(text, 15, ['@', '/']);
  expect(begun).toEqual({ trigger: '@', search: 'src/ma', start: 8 });
  if (!begun) return;
  expect(completed(text, begun, 'src/main.ts')).toEqual({
    text: 'look at @src/main.ts please',
    caret: 20,
  });
});

test.each(['a@b.org', 'nothing', '', '@done '])('%j asks for nothing', (text) =>
  expect(completionAt(text, text.length, ['@'])).toBeUndefined(),
);
