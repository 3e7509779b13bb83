import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedText } from './bounded-text.ts';

const KEPT = 64 * 1024;

test('keeps a short text unchanged, in any chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (parts) => {
      const text = new BoundedText();
      for (const part of parts) text.push(Buffer.from(part));
      expect(text.toString()).toBe(parts.join(''));
    }),
  );
});

test('keeps exactly as much as documented', () => {
  const text = new BoundedText();
  text.push(Buffer.alloc(KEPT, 'x'));
  expect(text.toString()).toBe('x'.repeat(KEPT));
});

test.each([1, 1000, 1_000_000])('keeps head and tail of a long text in chunks of %i', (size) => {
  const whole = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`).join('');
  const text = new BoundedText();
  for (let at = 0; at < whole.length; at += size) {
    text.push(Buffer.from(whole.slice(at, at + size)));
  }
  const dropped = whole.length - KEPT;
  expect(text.toString()).toBe(
    `${whole.slice(0, 8 * 1024)}\n[${dropped} bytes omitted]\n${whole.slice(-56 * 1024)}`,
  );
});

test('can be read in the middle without losing anything', () => {
  const text = new BoundedText();
  text.push(Buffer.from('a'));
  expect(text.toString()).toBe('a');
  text.push(Buffer.from('b'));
  expect(text.toString()).toBe('ab');
});
