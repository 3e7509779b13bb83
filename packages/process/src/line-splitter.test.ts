import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

const MB = 1024 * 1024;

describe('LineSplitter', () => {
  test('splits the same lines from any bytes in any chunks', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028', 'é', '🙂') });
    const anything = fc.oneof(
      bytes,
      text.map((value) => Buffer.from(value)),
    );
    fc.assert(
      fc.property(anything, fc.array(fc.nat(40)), (whole, sizes) => {
        expect(split(cut(whole, sizes))).toEqual(linesOf(whole));
      }),
    );
  });

  test('distinguishes lines that are too long in any chunks', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('x', 'é'), maxLength: 30 }));
    fc.assert(
      fc.property(
        lines,
        fc.array(fc.nat(20)),
        fc.integer({ min: 1, max: 30 }),
        (all, sizes, max) => {
          const whole = Buffer.from(all.map((line) => `${line}\n`).join(''));
          const expected = all.map((line) =>
            Buffer.byteLength(line) > max ? { head: line, bytes: Buffer.byteLength(line) } : line,
          );
          expect(split(cut(whole, sizes), max)).toEqual(expected);
        },
      ),
    );
  });

  test('does not split at U+2028, U+2029 or a lone carriage return', () => {
    expect(split([Buffer.from('a\u2028b\u2029c\rd\ne\n')])).toEqual(['a\u2028b\u2029c\rd', 'e']);
  });

  test('keeps the carriage return of CRLF', () => {
    expect(split([Buffer.from('a\r\nb\r\n')])).toEqual(['a\r', 'b\r']);
  });

  test('joins a character that arrives byte by byte', () => {
    const bytes = [...Buffer.from('🙂\n')].map((byte) => Buffer.from([byte]));
    expect(split(bytes)).toEqual(['🙂']);
  });

  test('returns an unterminated last line at the end, once', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    splitter.push(Buffer.from('a\nb'));
    expect(lines).toEqual(['a']);
    splitter.end();
    splitter.end();
    expect(lines).toEqual(['a', 'b']);
  });

  test('drops a byte order mark in front of the first line, and no other', () => {
    expect(split([Buffer.from('\uFEFFa\n\uFEFFb\n\uFEFFc')])).toEqual(['a', '\uFEFFb', '\uFEFFc']);
    expect(split([Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x61])])).toEqual(['a']);
  });

  test('does not keep chunks that its caller overwrites', () => {
    const chunk = Buffer.from('abc');
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    splitter.push(chunk);
    chunk.fill('x');
    splitter.end();
    expect(lines).toEqual(['abc']);
  });

  test('copies and searches a long line a constant number of times, whatever the chunks', () => {
    const copied = countBytes('copy');
    const searched = countBytes('indexOf');
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    const chunk = Buffer.alloc(1024, 'x');
    for (let sent = 0; sent < 2 * MB; sent += chunk.length) splitter.push(chunk);
    splitter.end();
    expect(lines.map((line) => line.length)).toEqual([2 * MB]);
    expect(searched()).toBe(2 * MB);
    // Each byte once from its chunk, and once or twice more while the buffer doubles.
    expect(copied()).toBeGreaterThanOrEqual(2 * MB);
    expect(copied()).toBeLessThan(8 * MB);
  });

  test('uses a few times the length of a line in memory, whatever the number of chunks', () => {
    const before = process.memoryUsage().arrayBuffers;
    const splitter = new LineSplitter(() => {});
    const drip = Buffer.from('x');
    for (let i = 0; i < MB; i++) splitter.push(drip);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MB);
  });

  test('returns only the beginning of a line beyond 64 MiB, and continues with the next', () => {
    const events: unknown[] = [];
    const splitter = new LineSplitter((line) => events.push(line), {
      onTooLong: (head, bytes) => events.push([head.length, bytes]),
    });
    const chunk = Buffer.alloc(MB, 'x');
    for (let i = 0; i < 65; i++) splitter.push(chunk);
    splitter.push(Buffer.from('\nnext\n'));
    expect(events).toEqual([[64 * 1024, 65 * MB], 'next']);
  });

  test('does not end the head of a too long line with half a character', () => {
    const heads: string[] = [];
    const splitter = new LineSplitter(() => {}, {
      maxLineBytes: 1,
      onTooLong: (head) => heads.push(head),
    });
    splitter.push(Buffer.from(`x${'🙂'.repeat(20_000)}`));
    splitter.end();
    expect(heads[0]).toMatch(/^x(🙂)+$/u);
  });
});

function split(chunks: readonly Buffer[], maxLineBytes?: number): unknown[] {
  const events: unknown[] = [];
  const splitter = new LineSplitter((line) => events.push(line), {
    maxLineBytes,
    onTooLong: (head, bytes) => events.push({ head, bytes }),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return events;
}

function linesOf(whole: Buffer): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = 0; at < whole.length; at++) {
    if (whole[at] !== 0x0a) continue;
    lines.push(whole.toString('utf8', start, at));
    start = at + 1;
  }
  if (start < whole.length) lines.push(whole.toString('utf8', start));
  return lines;
}

function cut(whole: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let rest = whole;
  for (const size of sizes) {
    chunks.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return [...chunks, rest];
}

/** Counts the bytes that a method of Buffer works on, until the test ends. */
function countBytes(method: 'copy' | 'indexOf'): () => number {
  const original: (...args: never[]) => number = Buffer.prototype[method];
  let bytes = 0;
  const spy = vi.spyOn(Buffer.prototype, method).mockImplementation(function (
    this: Buffer,
    ...args: unknown[]
  ) {
    bytes += this.length;
    return original.apply(this, args as never[]);
  });
  onTestFinished(() => spy.mockRestore());
  return () => bytes;
}
