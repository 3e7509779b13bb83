import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { tableText } from './table.ts';

/** A terminal of some width that knows no colours, or a pipe. */
function stream(columns?: number): NodeJS.WriteStream {
  const facts = { isTTY: columns !== undefined, columns, getColorDepth: () => 1 };
  return Object.assign(new PassThrough(), facts) as unknown as NodeJS.WriteStream;
}

test('columns align with their headers', () => {
  const rows = [
    ['a', { text: 'red', format: 'red' as const }, 'the last'],
    ['longer', 'b', ''],
  ];
  expect(tableText(stream(), ['ONE', 'TWO', 'THREE'], rows)).toBe(
    'ONE     TWO  THREE\na       red  the last\nlonger  b\n',
  );
});

test('on a terminal the widest columns shrink to fit; elsewhere nothing is truncated', () => {
  const rows = [['12345678', 'x'.repeat(100), 'y'.repeat(50)]];
  const heads = ['ID', 'PATH', 'TITLE'];
  expect(tableText(stream(), heads, rows)).toContain('x'.repeat(100));
  for (const columns of [120, 80, 40, 30]) {
    const lines = tableText(stream(columns), heads, rows).trimEnd().split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines[1]).toContain('12345678');
    expect(lines[1]).toContain('…');
  }
  expect(() => tableText(stream(5), heads, rows)).not.toThrow();
});

test('columns of CJK characters and emoji line up', () => {
  expect(
    tableText(
      stream(),
      ['ONE', 'TWO'],
      [
        ['日本語', 'a'],
        ['👍', 'b'],
        ['plain', 'c'],
      ],
    ),
  ).toBe('ONE     TWO\n日本語  a\n👍      b\nplain   c\n');
  expect(tableText(stream(10), ['A', 'B'], [['日本語日本語', 'b']])).toContain('日本語…');
});

test('a cell is one line, whatever it contains', () => {
  const text = tableText(stream(), ['A', 'B'], [['one\ntwo\u001b[2J\u202Ex', 'b']]);
  expect(text).toBe('A         B\none twox  b\n');
});
