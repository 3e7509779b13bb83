import { expect, test } from 'vitest';
import { cut, makeReply } from './reply.ts';

const context = { serial: 7, model: 'm', turns: 0, calls: [] };

test('a text is cut into deltas that never split a character', () => {
  const text = '👩‍👩‍👧‍👦'.repeat(50);
  const pieces = cut(text);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(text);
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
});

test('a very long text has few deltas', () => {
  expect(cut('x'.repeat(1_000_000)).length).toBeLessThanOrEqual(64);
});

test('ids and usage follow from the script and the number of the request alone', () => {
  const answer = { thinking: 'hmmm', text: 'hello' };
  expect(makeReply(answer, context)).toEqual(makeReply(answer, context));
  expect(makeReply(answer, context)).toMatchObject({
    id: 'fake_000007',
    usage: { input: 1200, cached: 0, output: 3, reasoning: 1 },
  });
  expect(makeReply(answer, { ...context, turns: 2 }).usage).toMatchObject({
    input: 1700,
    cached: 1024,
  });
});

test('a script may set some of the usage', () => {
  const { usage } = makeReply({ text: 'hello', usage: { input: 9 } }, context);
  expect(usage).toEqual({ input: 9, cached: 0, output: 2, reasoning: 0 });
});
