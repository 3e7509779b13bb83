import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completed, completionAt } from './completion-at.ts';

/** Completes what is before the bar, with the caret as a bar again. */
function choose(before: string, value: string): string | undefined {
  const caret = before.indexOf('|');
  const text = before.replace('|', '');
  const begun = completionAt(text, caret, ['@', '/']);
  if (!begun) return undefined;
  const after = completed(text, begun, value);
  return `${after.text.slice(0, after.caret)}|${after.text.slice(after.caret)}`;
}

test.each([
  ['look at @src/ma| please', 'src/main.ts', 'look at @src/main.ts |please'],
  ['@|', 'a.md', '@a.md |'],
  ['@re|, then', 'readme.md', '@readme.md |, then'],
  ['See @re|.', 'readme.md', 'See @readme.md |.'],
  ['@a|\nNext', 'a.md', '@a.md |\nNext'],
  ['@src/ma|in.ts.', 'src/main.tsx', '@src/main.tsx |.'],
])('%j becomes %3$j', (before, value, after) => {
  expect(choose(before, value)).toBe(after);
});

test.each([
  ['@my| please', 'my notes.md', '@"my notes.md" |please'],
  ['@"my no|', 'my notes.md', '@"my notes.md" |'],
  ['@"my |notes.md" please', 'my news.md', '@"my news.md" |please'],
  ['@"my notes/"|', 'my notes/a.md', '@"my notes/a.md" |'],
  ['@"my notes.m|', 'plain.md', '@plain.md |'],
  ['@"my n| and "this"', 'my notes.md', '@"my notes.md" |and "this"'],
  ['say "hello @re|"', 'readme.md', 'say "hello @readme.md |"'],
  ['@q|', 'a "b" c', '@a "b" c |'],
])('a name with spaces is quoted: %j becomes %3$j', (before, value, after) => {
  expect(choose(before, value)).toBe(after);
});

test.each(['a@b.org|', 'nothing|', '|', '@done |', '@"a b.md" |', 'say "hello|'])(
  '%j asks for nothing',
  (before) => expect(choose(before, 'x')).toBeUndefined(),
);

test('a completion keeps the text around it, and is found again by its name', () => {
  const name = fc.stringMatching(/^[a-z][a-z .]{0,8}[a-z]$/);
  fc.assert(
    fc.property(name, fc.constantFrom('', 'Look at '), (value, before) => {
      const begun = completionAt(`${before}@x`, before.length + 2, ['@']);
      if (!begun) throw new Error('Nothing is asked for.');
      const { text, caret } = completed(`${before}@x`, begun, value);
      expect(text.startsWith(before)).toBe(true);
      expect(completionAt(text, caret, ['@'])).toBeUndefined();
      expect(completionAt(text, caret - 1, ['@'])).toEqual({
        ...{ trigger: '@', search: value, start: before.length, end: caret - 1 },
      });
    }),
  );
});
