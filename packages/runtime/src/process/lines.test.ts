import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter } from './lines.ts';

const MB = 1024 * 1024;

describe('LineSplitter', () => {
  test('gives the same lines for any bytes in any chunks', () => {
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

  test('tells too long lines from the others in any chunks', () => {
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

  test('gives an unterminated last line at the end, once', () => {
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

  test('takes far less work for a long line than to copy it anew with every chunk', () => {
    let copied = Buffer.alloc(0);
    const copying = workOf((chunk) => {
      copied = Buffer.concat([copied, chunk]);
    });
    const splitting = () => {
      let line = '';
      const splitter = new LineSplitter((whole) => {
        line = whole;
      });
      const work = workOf(
        (chunk) => splitter.push(chunk),
        () => splitter.end(),
      );
      expect(line).toHaveLength(copied.length);
      return work;
    };
    // To look for the end of the line in all of it, with every chunk, would take a twentieth.
    expect(Math.min(splitting(), splitting(), splitting())).toBeLessThan(copying / 40);
  });

  test('holds a few times the length of a line in memory, not its number of chunks', () => {
    const before = process.memoryUsage().arrayBuffers;
    const splitter = new LineSplitter(() => {});
    const drip = Buffer.from('x');
    for (let i = 0; i < MB; i++) splitter.push(drip);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MB);
  });

  test('gives only the head of a line beyond 64 MiB, and goes on with the next', () => {
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

/** The processor time that it takes to give away 2 MB in small chunks, in microseconds. */
function workOf(take: (chunk: Buffer) => void, end = () => {}): number {
  const chunk = Buffer.alloc(1024, 'x');
  const before = process.cpuUsage();
  for (let sent = 0; sent < 2 * MB; sent += chunk.length) take(chunk);
  end();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
