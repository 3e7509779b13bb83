import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.ts';
import { PausableLines } from './pausable-lines.ts';

test('keeps the order of lines whenever its reader pauses and resumes', () => {
  const chunks = fc.array(fc.integer({ min: 1, max: 5 }));
  const actions = fc.array(fc.constantFrom('none', 'pause', 'resume', 'blink'));
  fc.assert(
    fc.property(chunks, actions, actions, (sizes, inside, outside) => {
      const seen: string[] = [];
      const lines = new PausableLines(
        new LineSplitter((line) => {
          act(lines, inside[seen.length]);
          seen.push(line);
          act(lines, inside[seen.length]);
        }),
      );
      let next = 0;
      for (const [i, size] of sizes.entries()) {
        lines.push(Buffer.from(Array.from({ length: size }, () => `${next++}\n`).join('')));
        act(lines, outside[i]);
      }
      for (let before = -1; before !== seen.length; ) {
        before = seen.length;
        lines.resume();
      }
      expect(seen).toEqual(Array.from({ length: next }, (_, i) => String(i)));
    }),
  );
});

test('is drained when its end and the last unfinished line were delivered', async () => {
  const seen: string[] = [];
  const lines = new PausableLines(new LineSplitter((line) => seen.push(line)));
  void lines.drained.then(() => seen.push('(drained)'));
  lines.pause();
  lines.push(Buffer.from('a\nb'));
  lines.end();
  await Promise.resolve();
  expect(seen).toEqual([]);
  lines.resume();
  await lines.drained;
  expect(seen).toEqual(['a', 'b', '(drained)']);
});

function act(lines: PausableLines, action: string | undefined): void {
  if (action === 'pause' || action === 'blink') lines.pause();
  if (action === 'resume' || action === 'blink') lines.resume();
}
