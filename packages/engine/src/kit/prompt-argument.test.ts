import { expect, test } from 'vitest';
import { each, fitsArgument, flag, promptArgument } from './prompt-argument.ts';

test('a short prompt is an argument', () => {
  expect(promptArgument('Fix it')).toEqual({ argument: 'Fix it', stdin: 'none' });
});

test.each([
  ['too long', 'ä'.repeat(50_001)],
  ['like a flag', '-v'],
  ['like a command', 'resume'],
])('a prompt that is %s goes to standard input', (_name, text) => {
  const sent = promptArgument(text, new Set(['resume']));
  expect(sent).toEqual({ argument: undefined, stdin: { text } });
});

test('the length is counted in bytes', () => {
  expect(fitsArgument('a'.repeat(100_000))).toBe(true);
  expect(fitsArgument('ä'.repeat(50_000))).toBe(true);
  expect(fitsArgument('ä'.repeat(50_001))).toBe(false);
});

test('a flag without a value is omitted', () => {
  expect(flag('--model', 'x')).toEqual(['--model', 'x']);
  expect(flag('--max-turns', 0)).toEqual(['--max-turns', '0']);
  expect([flag('--model', ''), flag('--model', undefined)]).toEqual([[], []]);
});

test('a flag is repeated for each value', () => {
  expect(each('--tool', ['a', 'b'])).toEqual(['--tool', 'a', '--tool', 'b']);
  expect(each('--tool')).toEqual([]);
});
