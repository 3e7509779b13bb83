import { describe, expect, test, vi } from 'vitest';
import { MessageLines } from './message-lines.ts';

const HALF = 'x'.repeat(600);

describe('a message over several lines', () => {
  test('is one message', () => {
    const [message, ...more] = readAll(new MessageLines(), ['{', '  "type": "x"', '}']);
    expect(message?.json).toEqual({ type: 'x' });
    expect(more).toEqual([]);
  });

  test('that is too long is returned line by line, and the rest is read again', () => {
    const lines = new MessageLines(1000);
    const read = readAll(lines, ['{', `  ${HALF}`, `  ${HALF}`, '  "more"', '{"type":"x"}']);
    expect(read.map(({ text }) => text)).toEqual([
      '{',
      `  ${HALF}`,
      `  ${HALF}`,
      '"more"',
      '{"type":"x"}',
    ]);
    expect(read.at(-1)?.json).toEqual({ type: 'x' });
    expect(lines.end()).toEqual([]);
  });

  test('may come after another one that was nearly too long', () => {
    const lines = new MessageLines(1000);
    const one = ['{', `"a": "${HALF}"`, '}'];
    expect(readAll(lines, [...one, ...one]).map(({ json }) => json)).toEqual([
      { a: HALF },
      { a: HALF },
    ]);
  });
});

test('the messages of an array are serialized only on demand', () => {
  const stringify = vi.spyOn(JSON, 'stringify');
  const read = readAll(new MessageLines(), ['[{"type": "x"}, 5]']);
  expect(read.map(({ json }) => json)).toEqual([{ type: 'x' }, undefined]);
  expect(stringify).not.toHaveBeenCalled();
  expect(read.map(({ text }) => text)).toEqual(['{"type":"x"}', '5']);
  stringify.mockRestore();
});

function readAll(lines: MessageLines, texts: readonly string[]) {
  return texts.flatMap((text) => lines.read(text));
}
