import { expect, test } from 'vitest';
import { readComments, reviewText } from './review-text.ts';

const PATCH = [
  'diff --git a/src/a.ts b/src/a.ts',
  'index 1..2 100644',
  '--- a/src/a.ts',
  '+++ b/src/a.ts',
  '@@ -3,3 +3,4 @@ function a()',
  ' three',
  '-four',
  '+4',
  '+4b',
  ' five',
  'diff --git a/b.txt b/b.txt',
  'deleted file mode 100644',
  '--- a/b.txt',
  '+++ /dev/null',
  '@@ -1 +0,0 @@',
  '-b',
  '',
].join('\n');

/** The patch with text below a line. */
function below(line: string, ...text: string[]): string {
  return reviewText(PATCH).replace(`${line}\n`, `${[line, ...text].join('\n')}\n`);
}

test('a patch without comments has none', () => {
  expect(readComments(reviewText(PATCH))).toEqual([]);
  expect(readComments(below('+4', '#', '#  '))).toEqual([]);
});

test.each([
  [' three', { side: 'new', line: 3, quote: 'three\n' }],
  ['-four', { side: 'old', line: 4, quote: 'four\n' }],
  ['+4', { side: 'new', line: 4, quote: '4\n' }],
  ['+4b', { side: 'new', line: 5, quote: '4b\n' }],
  [' five', { side: 'new', line: 6, quote: 'five\n' }],
  ['+++ b/src/a.ts', { side: 'new', line: null, quote: '' }],
])('a comment below %j is about that line', (line, place) => {
  expect(readComments(below(line, '# Why', '# this?', '#', '# Really.'))).toEqual([
    { path: 'src/a.ts', ...place, end_line: place.line, text: 'Why\nthis?\n\nReally.' },
  ]);
});

test('comments on several lines and on a deleted file are kept apart', () => {
  const text = below('+4', '# One.').replace('-b\n', '-b\n#Two.\n');
  expect(readComments(text)).toMatchObject([
    { path: 'src/a.ts', line: 4, text: 'One.' },
    { path: 'b.txt', side: 'old', line: 1, text: 'Two.' },
  ]);
});

test('names with quotes, spaces and unicode are read, and editors may write CRLF', () => {
  const patch =
    'diff --git "a/\\303\\244 b\\"c" "b/\\303\\244 b\\"c"\n--- "a/\\303\\244 b\\"c"\n+++ "b/\\303\\244 b\\"c"\n@@ -1 +1 @@\n-a\n+b\n# Hm.\n';
  expect(readComments(patch.replaceAll('\n', '\r\n'))).toMatchObject([
    { path: 'ä b"c', text: 'Hm.' },
  ]);
});

test('lines of a file that look like headers are lines', () => {
  const patch =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n# Here.\n same\n';
  expect(readComments(patch)).toMatchObject([
    { path: 'x', side: 'new', line: 1, quote: '++ new\n' },
  ]);
});
