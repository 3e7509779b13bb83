import { expect, test } from 'vitest';
import { reviewPrompt } from './review-prompt.ts';

const comment = {
  path: 'src/a.ts',
  side: 'new',
  line: 3,
  end_line: 4,
  quote: 'const a = 1;\nconst b = 2;\n',
  text: 'Use one statement.\n',
} as const;

test('a comment has its place, the lines as they were, and its text', () => {
  expect(reviewPrompt([comment])).toBe(
    [
      'Address this comment on your change.',
      '',
      'src/a.ts:3-4',
      '```',
      'const a = 1;',
      'const b = 2;',
      '```',
      'Use one statement.',
    ].join('\n'),
  );
});

test('comments are numbered, and a message of the person comes first', () => {
  const file = { ...comment, line: null, end_line: null, quote: '', text: 'Delete it.' };
  const old = { ...comment, side: 'old', end_line: 3, quote: 'a', text: 'Keep it.' } as const;
  const prompt = reviewPrompt([file, old], 'Almost there.');
  expect(prompt).toBe(
    'Almost there.\n\n1. src/a.ts\nDelete it.\n\n2. src/a.ts:3 (before the change)\n```\na\n```\nKeep it.',
  );
});

test('code with fences does not end its block', () => {
  expect(reviewPrompt([{ ...comment, quote: '```js\n````\n' }])).toContain(
    '`````\n```js\n````\n`````',
  );
});
