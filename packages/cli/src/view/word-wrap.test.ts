import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WordWrap } from './word-wrap.ts';

test('wraps a line between words', () => {
  expect(wrap(['the quick brown fox'], 10)).toBe('the quick \nbrown fox');
});

test('buffers an incomplete word until it is complete', () => {
  const wrapper = new WordWrap(() => 10);
  expect(wrapper.push('the quick bro')).toBe('the quick ');
  expect(wrapper.push('wn fox')).toBe('\nbrown ');
  expect(wrapper.end()).toBe('fox');
});

test('a word that ends at the edge drops the following space', () => {
  expect(wrap(['the quick brown fox'], 9)).toBe('the quick\nbrown fox');
  expect(wrap(['abcdefghij klm'], 5)).toBe('abcdefghij\nklm');
});

test('counts CJK characters and emoji as two columns', () => {
  expect(wrap(['日本語 の 文章 👍👍 x'], 10)).toBe('日本語 の \n文章 👍👍 \nx');
});

test('leaves code blocks as they are', () => {
  const code = '```\nconst aLongLine =   "which is  not   broken";\n```\n';
  for (let width = 1; width < 60; width += 1) expect(wrap([code], width)).toBe(code);
});

test('no line is wider than the terminal or starts with a space, unless a word is too long', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 8, max: 20 }), (list, width) => {
      for (const line of wrap([list.join(' ')], width).split('\n')) {
        expect(line.trimEnd().length).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/^ /);
      }
    }),
  );
});

test('changes nothing but the places of line breaks, however the text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 40 }), (pieces, width) => {
      const bare = (text: string) => text.replaceAll(/[ \n]/g, '');
      expect(bare(wrap(pieces, width))).toBe(bare(pieces.join('')));
    }),
  );
});

function wrap(pieces: readonly string[], width: number): string {
  const wrapper = new WordWrap(() => width);
  return pieces.map((piece) => wrapper.push(piece)).join('') + wrapper.end();
}
